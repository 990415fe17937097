// Runs in a process of its own: it starts a fleet.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { ManagedClusterAddOn } from '@orrery/api'
import { ConfigMap, Pod } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'
import { clientConfigOf, kubeconfigSource, parseKubeconfig } from '@orrery/kube/kubeconfig'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory } from '../support/fleet.js'
import { afterwards } from '../support/server.js'
import { conditionText } from './addon-hub.js'
import { ADDON_NAMESPACE } from './addon-world.js'

const REF = { namespace: 'cluster1', name: 'helloworld' }

/** The process of a pod of the cluster at this port. Its environment names both. */
async function processOf(pod: string, port: string): Promise<number | undefined> {
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
    const variables = new Set(environment.split('\0'))
    if (variables.has(`HOSTNAME=${pod}`) && variables.has(`KUBERNETES_SERVICE_PORT=${port}`)) return Number(name)
  }
  return undefined
}

test('faults: an agent whose process is killed is restarted, is unavailable while it is not, and works again', async (t) => {
  const directory = await fleetDirectory(t)
  const addon = ['--addon', 'helloworld']
  const { code, errors } = await orrery('up', '--data', directory, '--clusters', '1', '--detach', ...addon)
  assert.equal(code, 0, errors)
  const path = join(directory, 'kubeconfig')
  const [hub, cluster] = await Promise.all(
    ['hub', 'cluster1'].map(async (context) => {
      const client = await clientFrom(kubeconfigSource({ path, context }))
      afterwards(t, () => client.close())
      return client
    }),
  )
  assert.ok(hub !== undefined && cluster !== undefined)
  const { server } = clientConfigOf(await parseKubeconfig(await readFile(path, 'utf8')), { context: 'cluster1' })
  const { port } = new URL(server)

  const agentPod = async () => {
    const { items } = await cluster.list(Pod, { namespace: ADDON_NAMESPACE, labelSelector: 'app=helloworld-agent' })
    return items[0]
  }
  const kill = async (restarts: number) => {
    const pod = await eventually(`the agent runs after ${restarts} restarts`, async () => {
      const found = await agentPod()
      const [container] = found?.status?.containerStatuses ?? []
      return container?.ready && container.restartCount === restarts ? found : undefined
    })
    process.kill(await eventually('it has a process', () => processOf(pod.metadata.name, port)), 'SIGKILL')
  }
  const reports = (expected: string) =>
    eventually(`Available is ${expected}`, async () =>
      conditionText(await hub.get(ManagedClusterAddOn, REF), 'Available')?.startsWith(expected),
    )

  await kill(0)
  // The first restart is at once, and the second after ten seconds.
  await kill(1)
  await reports('False ProbeUnavailable')
  await reports('True ProbeAvailable')
  assert.equal((await agentPod())?.status?.containerStatuses?.[0]?.restartCount, 2)
  await hub.create(ConfigMap, { metadata: { namespace: 'cluster1', name: 'greeting' }, data: { hello: 'again' } })
  const copy = { namespace: ADDON_NAMESPACE, name: 'greeting' }
  const { data } = await eventually('it is copied', () => cluster.find(ConfigMap, copy))
  assert.deepEqual(data, { hello: 'again' })
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { AppliedManifestWork, ManifestWork, spokeCrds } from '@orrery/api'
import { startApiServer } from '@orrery/apiserver'
import { ConfigMap, CustomResourceDefinition } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { configMap, isApplied } from '../agent/work-pair.js'
import { type Foreground, running } from '../support/fleet.js'
import { afterwards, temporaryDirectory } from '../support/server.js'
import { TlsHub } from './tls-fleet.js'

const WORKS = Array.from({ length: 40 }, (_, index) => `w${index}`)
const namesIn = (work: string) => [1, 2, 3, 4, 5].map((index) => `${work}-${index}`)
/** The hub's clock follows the time of the agent's process. */
const REAL_TIME = 5

async function startSpoke(t: TestContext) {
  const server = await startApiServer()
  afterwards(t, () => server.close())
  const client = server.client()
  await Promise.all(spokeCrds().map((crd) => client.create(CustomResourceDefinition, crd)))
  return { client, kubeconfig: await server.kubeconfig() }
}

/** Kills a process with SIGKILL as soon as this many objects were created or deleted. */
async function killAfter(client: KubeClient, type: string, count: number, agent: Foreground): Promise<void> {
  let seen = 0
  const { resourceVersion: since } = await client.list(ConfigMap, { namespace: 'default' })
  for await (const event of client.watch(ConfigMap, { namespace: 'default', resourceVersion: since })) {
    if (event.type === type) seen++
    if (seen >= count) break
  }
  agent.process.kill('SIGKILL')
  await agent.ended
}

test('agent: killed while applying and deleting, it loses nothing and leaves nothing behind', async (t) => {
  const hub = await TlsHub.start(t)
  const [spoke, directory] = await Promise.all([startSpoke(t), temporaryDirectory(t)])
  const files = { spoke: join(directory, 'spoke'), hub: join(directory, 'hub') }
  await Promise.all([writeFile(files.spoke, spoke.kubeconfig), writeFile(files.hub, hub.bootstrapKubeconfig)])
  const startAgent = () => {
    const flags = ['--cluster-name', 'c1', '--bootstrap-kubeconfig', files.hub]
    const agent = running('agent', '--kubeconfig', files.spoke, ...flags)
    afterwards(t, async () => {
      agent.process.kill('SIGKILL')
      await agent.ended
    })
    return agent
  }
  const objects = async () => {
    const { items } = await spoke.client.list(ConfigMap, { namespace: 'default' })
    return new Map(items.filter(({ data }) => data?.value === '1').map(({ metadata: { name, uid } }) => [name, uid]))
  }
  const works = async () => (await hub.client.list(ManifestWork, { namespace: 'c1' })).items

  const first = startAgent()
  await hub.whenAvailable('c1', REAL_TIME)
  const killed = killAfter(spoke.client, 'ADDED', 60, first)
  await Promise.all(
    WORKS.map((name) =>
      hub.giveWork(
        'c1',
        name,
        namesIn(name).map((object) => configMap(object, { value: '1' })),
      ),
    ),
  )
  await killed
  const half = await objects()
  assert.ok(half.size < 200, 'it was in the midst of it')

  const second = startAgent()
  await hub.eventually('all is applied', async () => (await works()).every(isApplied), REAL_TIME)
  const all = await objects()
  assert.equal(all.size, 200)
  for (const [name, uid] of half) assert.equal(all.get(name), uid, 'what was there is still there')
  const { items: records } = await spoke.client.list(AppliedManifestWork)
  assert.deepEqual(new Set(records.map(({ status }) => status?.appliedResources?.length)), new Set([5]))

  const [going, staying] = [WORKS.slice(0, 20), WORKS.slice(20)]
  const killedAgain = killAfter(spoke.client, 'DELETED', 20, second)
  await Promise.all(going.map((name) => hub.client.delete(ManifestWork, { namespace: 'c1', name })))
  await killedAgain
  assert.ok((await works()).length > 20, 'it was in the midst of it')

  startAgent()
  await hub.eventually('deleted objects are gone', async () => (await works()).length === 20, REAL_TIME)
  const left = await objects()
  assert.deepEqual([...left.keys()].sort(), staying.flatMap(namesIn).sort())
  for (const [name, uid] of left) assert.equal(all.get(name), uid)
  assert.equal((await spoke.client.list(AppliedManifestWork)).items.length, 20)
})

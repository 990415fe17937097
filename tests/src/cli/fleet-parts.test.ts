import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { bootstrapKubeconfig } from '@orrery/agent'
import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { HUB } from '@orrery/fleet'
import { installHub } from '@orrery/hub'
import { isConditionTrue } from '@orrery/kinds/values'
import { clientFrom, type KubeClient } from '@orrery/kube'
import { kubeconfigSource } from '@orrery/kube/kubeconfig'
import { patience } from '@orrery/kube/testing'
import { orrery, orreryAtOnce } from '../support/cli-here.js'
import { type Foreground, running } from '../support/fleet.js'
import { freePort } from '../support/free-port.js'
import { afterwards, startServer, temporaryDirectory } from '../support/server.js'

/** Runs a command until the test ends. */
function run(t: TestContext, ...args: readonly string[]): Foreground {
  const command = running(...args)
  afterwards(t, async () => {
    command.process.kill('SIGTERM')
    await command.ended
  })
  return command
}

async function whenAvailable(hub: KubeClient, cluster: string): Promise<void> {
  const signal = patience()
  for await (const { object } of hub.watch(ManagedCluster, { fieldSelector: `metadata.name=${cluster}`, signal })) {
    if (isConditionTrue(object.status?.conditions, ManagedClusterCondition.Available)) return
  }
  assert.fail(`${cluster} did not become available`)
}

test('orrery hub, up: do not start if the requested port is in use', async (t) => {
  const [server, directory] = await Promise.all([startServer(t), temporaryDirectory(t)])
  const { host, port } = new URL(server.url)
  const problem = `error: ${host} is in use by another program: stop it, or set another port with --port`
  for (const command of [['hub'], ['up', '--detach', '--clusters', '1']]) {
    const { code, errors } = await orrery(...command, '--data', directory, '--port', port)
    assert.equal(code, 1)
    assert.ok(errors.includes(problem), errors)
  }
})

test('orrery hub, agent: run on existing clusters', async (t) => {
  const [hubServer, spokeServer, directory] = await Promise.all([startServer(t), startServer(t), temporaryDirectory(t)])
  const hub = await clientFrom(hubServer.kubeconfig)
  afterwards(t, () => hub.close())

  const early = await orrery('hub', '--kubeconfig', hubServer.kubeconfig, '--no-webhooks')
  assert.equal(early.code, 1)
  assert.match(early.errors, /This cluster is not a hub: .*orrery init/)

  const { bootstrapToken } = await installHub(hub, { bootstrapToken: true })
  const bootstrapFile = join(directory, 'hub.kubeconfig')
  const ca = hubServer.credentials.ca.toString()
  await writeFile(bootstrapFile, await bootstrapKubeconfig({ server: hubServer.url, ca, token: bootstrapToken! }))
  const port = await freePort()
  const hubProcess = run(
    t,
    ...['hub', '--kubeconfig', hubServer.kubeconfig, '--auto-approve'],
    ...['--webhook-url', `https://localhost:${port}`],
  )
  await hubProcess.says(/^The API server calls the webhooks/m)
  const agentProcess = run(
    t,
    ...['agent', '--kubeconfig', spokeServer.kubeconfig],
    ...['--cluster-name', 'edge', '--bootstrap-kubeconfig', bootstrapFile],
  )
  await whenAvailable(hub, 'edge')
  for (const { process, ended } of [agentProcess, hubProcess]) {
    process.kill('SIGTERM')
    assert.equal(await ended, 0)
  }
})

test('orrery hub, agent: run embedded, and an administrator accepts the cluster', async (t) => {
  const directory = await temporaryDirectory(t)
  const lonely = await orrery('agent', '--cluster-name', 'edge', '--data', directory)
  assert.equal(lonely.code, 1)
  assert.match(
    lonely.errors,
    /^error: the fleet in .* has no hub: start one with `orrery up --data .*` or `orrery hub --data .*`/,
  )

  await run(t, 'hub', '--data', directory).says(/^ready$/m)
  run(t, 'agent', '--cluster-name', 'edge', '--data', directory)
  const hub = await clientFrom(kubeconfigSource({ path: join(directory, 'kubeconfig'), context: HUB }))
  afterwards(t, () => hub.close())
  const signal = patience()
  for await (const { object } of hub.watch(ManagedCluster, { signal })) {
    assert.equal(object.spec?.hubAcceptsClient ?? false, false)
    break
  }
})

test('orrery agent: rejects the cluster name hub', async () => {
  const { code, errors } = await orreryAtOnce('agent', '--cluster-name', 'hub', '--data', 'x')
  assert.equal(code, 2)
  assert.match(errors, /The name hub is reserved/)
})

test('orrery agent: rejects an invalid bootstrap kubeconfig before it creates anything', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = join(directory, 'hub.kubeconfig')
  await writeFile(file, 'clusters: 7\n')
  const data = join(directory, 'data')
  const { code, errors } = await orrery(
    ...['agent', '--cluster-name', 'edge', '--data', data, '--bootstrap-kubeconfig', file],
  )
  assert.deepEqual([code, errors], [1, `error: ${file}: clusters must be a list\n`])
  await assert.rejects(stat(data), { code: 'ENOENT' })
})

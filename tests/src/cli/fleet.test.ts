import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { ManagedCluster, ManifestWork } from '@orrery/api'
import { Deployment } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'
import { kubeconfigSource, loadKubeconfig } from '@orrery/kube/kubeconfig'
import { isRunning, markOf } from '@orrery/kube/process'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory, inTime, statusOf } from '../support/fleet.js'

test('orrery up --detach, status, down: a fleet in the background', async (t) => {
  const directory = await fleetDirectory(t)
  const kubeconfig = join(directory, 'kubeconfig')
  const clientOf = (context: string) => clientFrom(kubeconfigSource({ path: kubeconfig, context }))

  const started = await orrery('up', '--data', directory, '--detach', '--sample')
  assert.equal(started.code, 0, started.errors)
  assert.match(started.out, /cluster1 +hello +True +2 +2\ncluster2 +hello +True +2 +2\n/)
  assert.match(started.out, new RegExp(`export KUBECONFIG=${kubeconfig}`))
  assert.equal((await stat(kubeconfig)).mode & 0o777, 0o600)
  const before = await statusOf(directory)

  await t.test('all parts are healthy', async () => {
    assert.deepEqual([before.code, before.isHealthy], [0, true])
    assert.deepEqual(
      before.parts.map(({ name, phase }) => `${name} ${phase}`),
      ['hub ready', 'cluster1 available', 'cluster2 available'],
    )
    assert.deepEqual(
      before.clusters.map(({ name, accepted, joined, available, works }) => [name, accepted, joined, available, works]),
      ['cluster1', 'cluster2'].map((name) => [name, 'True', 'True', 'True', { total: 1, applied: 1, available: 1 }]),
    )
    const { out } = await orrery('status', '--data', directory)
    assert.match(out, /^PART +STATUS +RESTARTS +PID +VERSION +URL\nhub +ready +0 +\d+ +v1\./)
  })

  await t.test('the keys in the kubeconfig have a format that all clients read', async () => {
    const { users } = await loadKubeconfig({ path: kubeconfig })
    const keys = [...users.values()].map(({ value }) =>
      Buffer.from(value['client-key-data'] ?? '', 'base64').toString(),
    )
    assert.equal(keys.length, 3)
    for (const key of keys) assert.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/)
  })

  await t.test('the contexts of the kubeconfig select the hub and the clusters', async () => {
    const hub = await clientOf('hub')
    const cluster = await clientOf('cluster2')
    const { items } = await hub.list(ManagedCluster)
    const deployment = await cluster.get(Deployment, { namespace: 'hello', name: 'hello' })
    assert.deepEqual([items.length, deployment.status?.readyReplicas], [2, 2])
    hub.close()
    cluster.close()
  })

  await t.test('running parts can be backed up', async () => {
    for (const part of ['hub', 'clusters/cluster1']) {
      const file = join(directory, 'a.bak')
      const { code, out, errors } = await orrery('apiserver', 'backup', '--data', join(directory, part), file)
      assert.deepEqual([code, out, errors], [0, `wrote ${file}\n`, ''])
    }
  })

  await t.test('a second start fails, in the foreground and in the background', async () => {
    for (const more of [[], ['--detach']]) {
      const { code, errors } = await orrery('up', '--data', directory, ...more)
      assert.equal(code, 1)
      assert.match(errors, /is running already \(process \d+\).*orrery down --data/)
    }
  })

  for (const part of ['hub', 'cluster1']) {
    await t.test(`${part} restarts after kill -9 at the same address`, async () => {
      const { parts } = await statusOf(directory)
      const victim = parts.find(({ name }) => name === part)!
      process.kill(victim.pid!, 'SIGKILL')
      const now = await inTime(`${part} is restarted`, async () => {
        const status = await statusOf(directory)
        const found = status.parts.find(({ name }) => name === part)
        return status.isHealthy && found?.restarts === 1 ? found : undefined
      })
      assert.notEqual(now.pid, victim.pid)
      assert.equal(now.url, victim.url)
    })
  }

  await t.test('down stops all processes, and status reports it', async () => {
    const { parts, supervisor } = await statusOf(directory)
    const processes = [supervisor!, ...parts.map(({ pid }) => pid!)].map(markOf)
    assert.equal((await orrery('down', '--data', directory)).out, `stopped the fleet in ${directory}\n`)
    assert.equal(processes.some(isRunning), false)
    const after = await statusOf(directory)
    assert.deepEqual([after.code, after.isHealthy, after.supervisor], [1, false, undefined])
    assert.equal((await orrery('down', '--data', directory)).out, `the fleet in ${directory} is not running\n`)
    const { code, errors } = await orrery('status', '--data', directory)
    assert.equal(code, 1)
    assert.match(errors, /The fleet is stopped\. Start it with `orrery up --data/)
    for (const part of ['hub', 'cluster1', 'cluster2']) {
      assert.match(errors, new RegExp(`^${part}: stopped: start the fleet with \`orrery up --data`, 'm'))
    }
  })

  await t.test('the next start resumes the fleet', async () => {
    const known = await loadKubeconfig({ path: kubeconfig })
    const again = await orrery('up', '--data', directory, '--detach', '--clusters', '3')
    assert.equal(again.code, 0, again.errors)
    const after = await statusOf(directory)
    assert.equal(after.isHealthy, true)
    assert.deepEqual(
      after.parts.slice(0, 3).map(({ url }) => url),
      before.parts.map(({ url }) => url),
    )
    const { users, contexts } = await loadKubeconfig({ path: kubeconfig })
    assert.deepEqual([...users].slice(0, 3), [...known.users])
    assert.deepEqual([...contexts.keys()], ['hub', 'cluster1', 'cluster2', 'cluster3'])
    const hub = await clientOf('hub')
    const works = await hub.list(ManifestWork)
    assert.deepEqual(
      works.items.map(({ metadata }) => metadata.namespace),
      ['cluster1', 'cluster2'],
    )
    hub.close()
  })
})

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { orrery } from '../support/cli-here.js'
import { fleetDirectory, inTime, running, statusOf } from '../support/fleet.js'
import { afterwards, temporaryDirectory } from '../support/server.js'

const HOMELESS = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: lost, namespace: nowhere }\n'

test('orrery up, status: report the problems of a fleet and fail', async (t) => {
  const directory = await fleetDirectory(t)
  const started = await orrery('up', '--data', directory, '--clusters', '1', '--detach')
  assert.equal(started.code, 0, started.errors)

  await t.test('status fails and reports the reason if a work cannot be applied', async () => {
    assert.equal((await statusOf(directory)).code, 0)
    const file = join(await temporaryDirectory(t), 'homeless.yaml')
    await writeFile(file, HOMELESS)
    const created = await orrery('create', 'work', 'w', '-f', file, '--clusters', 'cluster1', '--data', directory)
    assert.equal(created.code, 0, created.errors)
    const { errors } = await inTime('status reports the failed work', async () => {
      const status = await orrery('status', '--data', directory)
      return status.code === 1 ? status : undefined
    })
    assert.match(errors, /^work cluster1\/w: manifest 1 \(ConfigMap nowhere\/lost\) AppliedManifestFailed: /m)
    const { code, isHealthy, problems } = await statusOf(directory)
    assert.deepEqual([code, isHealthy, problems.map(({ object }) => object)], [1, false, ['work cluster1/w']])
    await orrery('delete', 'work', 'w', '--clusters', 'cluster1', '--data', directory)
    await inTime('status reports no problem', async () => (await statusOf(directory)).code === 0)
  })

  // Another cluster2 joins before that of the fleet starts.
  const { out } = await orrery('get', 'token', '--data', directory, '-o', 'json')
  const { command } = JSON.parse(out) as { command: string }
  const words = command.split(' ').slice(1).with(-1, 'cluster2')
  const other = running(...words, '--data', await temporaryDirectory(t), '--log-level', 'error')
  afterwards(t, async () => {
    other.process.kill('SIGTERM')
    await other.ended
  })
  await other.says(/cluster2 has joined/)
  await inTime('cluster2 is available', async () => {
    const { clusters } = await statusOf(directory)
    return clusters.find(({ name, available }) => name === 'cluster2' && available === 'True')
  })

  await t.test('status reports a detached cluster', async () => {
    const detached = await orrery('delete', 'cluster', 'cluster1', '--data', directory)
    assert.equal(detached.code, 0, detached.errors)
    const { errors } = await inTime('status reports the detached cluster', async () => {
      const status = await orrery('status', '--data', directory)
      return status.code === 1 ? status : undefined
    })
    assert.match(errors, /^cluster1: unavailable: it was detached from the hub/m)
  })
  await orrery('down', '--data', directory)

  await t.test('up reports the cluster that cannot join with the reason, and keeps the others running', async () => {
    const again = await orrery('up', '--data', directory, '--clusters', '2', '--detach', '--timeout', '25')
    assert.equal(again.code, 1)
    assert.match(again.errors, /^Not available: cluster2\. The rest of the fleet is running\.$/m)
    assert.match(
      again.errors,
      /^ {2}cluster2: accepted: the hub has a cluster "cluster2" with an active agent: choose /m,
    )
    assert.match(again.out, /export KUBECONFIG=/)
    // It was detached: it joins again at the next start.
    const listed = await orrery('get', 'clusters', 'cluster1', '--data', directory)
    assert.match(listed.out, /^cluster1 +True +True +True /m)
    const { code, parts } = await statusOf(directory)
    assert.equal(code, 1)
    assert.deepEqual(
      parts.map(({ name, phase }) => `${name} ${phase}`),
      ['hub ready', 'cluster1 available', 'cluster2 accepted'],
    )
    const status = await orrery('status', '--data', directory)
    assert.match(status.errors, /^cluster2: accepted: the hub has a cluster "cluster2" with an active agent/m)
  })
})

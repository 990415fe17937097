import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ManifestWork, ManifestWorkDryRun, REPLICA_SET_LABEL } from '@orrery/api'
import { writeConditions } from '@orrery/kube'
import { HubServer } from './hub-server.js'
import { configMapWork, FEATURES, withClusters } from './works.js'

const HOUR = 3_600_000

async function start(t: Parameters<typeof HubServer.start>[0]): Promise<HubServer> {
  const hub = await HubServer.start(t, { features: FEATURES })
  await withClusters(hub, 'c1')
  return hub
}

function createWork(
  hub: HubServer,
  name: string,
  ttlSecondsAfterFinished?: number,
  labels: Record<string, string> = {},
): Promise<ManifestWork> {
  const deleteOption = ttlSecondsAfterFinished === undefined ? {} : { ttlSecondsAfterFinished }
  const metadata = { namespace: 'c1', name, labels }
  return hub.client.create(ManifestWork, { metadata, spec: { ...configMapWork(), deleteOption } })
}

async function complete(hub: HubServer, work: ManifestWork, status: 'True' | 'False' = 'True'): Promise<void> {
  const finding = { type: 'Complete', status, reason: 'ConditionRulesAggregated', message: '' } as const
  await writeConditions(hub.asAgent('c1'), ManifestWork, work, [finding], { clock: hub.clock })
}

const isThere = async (hub: HubServer, name: string) => {
  await hub.settle()
  return (await hub.client.find(ManifestWork, { namespace: 'c1', name })) !== undefined
}

suite('complete work', () => {
  test('is deleted after its TTL', async (t) => {
    const hub = await start(t)
    await complete(hub, await createWork(hub, 'w', 3_600))
    hub.clock.advance(HOUR - 1_000)
    assert.ok(await isThere(hub, 'w'))
    hub.clock.advance(1_000)
    assert.ok(!(await isThere(hub, 'w')))
  })

  test('is deleted at once with a TTL of 0', async (t) => {
    const hub = await start(t)
    await complete(hub, await createWork(hub, 'w', 0))
    assert.ok(!(await isThere(hub, 'w')))
  })

  test('stays without a TTL, if it is not complete, or belongs to a replica set', async (t) => {
    const hub = await start(t)
    await complete(hub, await createWork(hub, 'silent'))
    await complete(hub, await createWork(hub, 'unfinished', 1), 'False')
    await createWork(hub, 'unreported', 1)
    await complete(hub, await createWork(hub, 'child', 1, { [REPLICA_SET_LABEL]: 'apps.web' }))
    hub.clock.advance(HOUR)
    for (const name of ['silent', 'unfinished', 'unreported', 'child']) assert.ok(await isThere(hub, name), name)
  })

  test('stays if the TTL is changed in the meantime', async (t) => {
    const hub = await start(t)
    const work = await createWork(hub, 'w', 3_600)
    await complete(hub, work)
    await hub.client.patch(ManifestWork, work.metadata, { spec: { deleteOption: { ttlSecondsAfterFinished: null } } })
    hub.clock.advance(HOUR)
    assert.ok(await isThere(hub, 'w'))
    await hub.client.patch(ManifestWork, work.metadata, { spec: { deleteOption: { ttlSecondsAfterFinished: 60 } } })
    assert.ok(!(await isThere(hub, 'w')))
  })
})

test('expired-dry-runs: deletes a dry run ten minutes after its creation', async (t) => {
  const hub = await start(t)
  const ref = { namespace: 'c1', name: 'plan' }
  const spec = { workload: configMapWork().workload }
  await hub.client.create(ManifestWorkDryRun, { metadata: ref, spec } as never)
  hub.clock.advance(599_000)
  await hub.settle()
  assert.notEqual(await hub.client.find(ManifestWorkDryRun, ref), undefined)
  hub.clock.advance(2_000)
  await hub.settle()
  assert.equal(await hub.client.find(ManifestWorkDryRun, ref), undefined)
})

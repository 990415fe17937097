import { test } from 'node:test'
import { ManagedCluster, ManifestWork, Placement } from '@orrery/api'
import { availableCluster } from './clusters.js'
import { HubServer } from './hub-server.js'
import { APPS, label, makeAvailable, place, whenDecided, withProdSet } from './placements.js'
import { createSet } from './works.js'

test('replica sets: follow the decisions of a placement', async (t) => {
  const hub = await HubServer.start(t, { features: { ManifestWorkReplicaSet: true } })
  await withProdSet(hub)
  for (const name of ['c1', 'c2', 'c3']) {
    await availableCluster(hub, name)
    await label(hub, name, { prod: 'yes' })
  }
  await place(hub, 'p1', { numberOfClusters: 1 })
  await whenDecided(hub, 'p1', 'c1')
  await createSet(hub, 'web')
  const hasWork = (cluster: string) => async () => (await worksIn(hub, cluster)) === 1
  const hasNone = (cluster: string) => async () => (await worksIn(hub, cluster)) === 0
  await hub.eventually('c1 has the work', hasWork('c1'))
  await makeAvailable(hub, await hub.client.get(ManagedCluster, { name: 'c1' }), 'Unknown')
  await whenDecided(hub, 'p1', 'c2')
  await hub.eventually('c2 has the work', hasWork('c2'))
  await hub.eventually('the work of c1 is deleted', hasNone('c1'))
  await hub.client.patch(Placement, { namespace: APPS, name: 'p1' }, { spec: { numberOfClusters: 2 } })
  await whenDecided(hub, 'p1', 'c2', 'c3')
  await hub.eventually('c3 has the work', hasWork('c3'))
  await label(hub, 'c2', { prod: 'no' })
  await whenDecided(hub, 'p1', 'c3')
  await hub.eventually('the work of c2 is deleted', hasNone('c2'))
  await hub.eventually('c3 keeps the work', hasWork('c3'))
})

async function worksIn(hub: HubServer, namespace: string): Promise<number> {
  const { items } = await hub.client.list(ManifestWork, { namespace })
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length
}

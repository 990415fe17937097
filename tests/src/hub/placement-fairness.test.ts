import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManagedClusterSetBinding, Placement, PlacementDecision } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { HubServer } from './hub-server.js'
import { APPS, withProdSet } from './placements.js'

const MANY = 300

test('placement: a namespace with many placements and large predicates does not delay other namespaces', async (t) => {
  const hub = await HubServer.start(t)
  await withProdSet(hub, 'c1', 'c2', 'c3')
  await hub.stopControllers()
  const other = { namespace: 'other', name: 'web' }
  await hub.client.create(Namespace, { metadata: { name: other.namespace } })
  await hub.client.create(ManagedClusterSetBinding, {
    metadata: { namespace: other.namespace, name: 'prod' },
    spec: { clusterSet: 'prod' },
  })
  const predicates = Array.from({ length: 1_000 }, (_, index) => ({
    requiredClusterSelector: { labelSelector: { matchLabels: { [`key${index}`]: 'value' } } },
  }))
  for (let index = 0; index < MANY; index++) {
    const spec = index % 10 === 0 ? { predicates } : {}
    await hub.client.create(Placement, { metadata: { namespace: APPS, name: `many${index}` }, spec })
  }
  await hub.client.create(Placement, { metadata: other, spec: { numberOfClusters: 1 } })
  await hub.startControllers()
  const isDecided = ({ status }: Placement) => status?.numberOfSelectedClusters !== undefined
  await hub.eventually('all placements are decided', async () => {
    const { items } = await hub.client.list(Placement)
    return items.every(isDecided)
  })
  const { items } = await hub.client.list(PlacementDecision)
  const created = ({ metadata }: PlacementDecision) => Number(metadata.resourceVersion)
  const mine = items.find(({ metadata }) => metadata.namespace === other.namespace) as PlacementDecision
  const before = items.filter((decision) => created(decision) < created(mine))
  assert.ok(before.length < MANY / 3, `${before.length} of ${MANY} were decided before`)
})

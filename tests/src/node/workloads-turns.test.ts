import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { type ApiObject, Deployment, Job, Namespace, ReplicaSet } from '@orrery/kinds'
import type { Informer } from '@orrery/kube'
import { FakeClock } from '@orrery/kube/testing'
import { afterwards } from '../support/server.js'
import { addNode, Spoke, template } from './spoke.js'

/** Sorted before the other, so that its objects are listed first. */
const BUSY = 'busy'
const OTHER = 'other'
const BACKLOG = 60
/** One turn of the busy namespace, and the reconciles that were in progress already. */
const MAX_BEFORE = 6

/** The namespaces of the objects in the order in which they were first reconciled. */
function orderOf<T extends ApiObject>(
  informer: Pick<Informer<T>, 'subscribe'>,
  isReconciled: (object: T) => boolean,
): string[] {
  const seen = new Set<string>()
  const order: string[] = []
  informer.subscribe(({ after }) => {
    if (after === undefined || seen.has(after.metadata.uid) || !isReconciled(after)) return
    seen.add(after.metadata.uid)
    order.push(after.metadata.namespace ?? '')
  })
  return order
}

test('workload controllers: a namespace with many objects does not delay those of another', async (t) => {
  const clock = new FakeClock(new Date('2030-01-01T00:00:00Z'))
  const server = await startApiServer({ host: false, clock })
  afterwards(t, () => server.close())
  const client = server.client()
  await addNode(client, 'node-1')
  for (const name of [BUSY, OTHER]) await client.create(Namespace, { metadata: { name } })
  const once = { ...template('work'), spec: { ...template('work').spec, restartPolicy: 'Never' as const } }
  const workload = { selector: { matchLabels: { app: 'web' } }, template: template('web') }
  const createIn = async (namespace: string, name: string, replicas: number) => {
    await client.create(Deployment, { metadata: { namespace, name }, spec: { replicas, ...workload } })
    await client.create(Job, { metadata: { namespace, name }, spec: { suspend: replicas === 0, template: once } })
  }
  for (let index = 0; index < BACKLOG; index++) await createIn(BUSY, `w-${index}`, 0)
  await createIn(OTHER, 'web', 1)

  const spoke = new Spoke(server, clock, {})
  afterwards(t, async () => {
    await spoke.group.stop()
    await spoke.informers.close()
  })
  const { informers } = spoke
  const orders = {
    ReplicaSet: orderOf(informers.of(ReplicaSet), () => true),
    Deployment: orderOf(informers.of(Deployment), ({ status }) => status?.observedGeneration !== undefined),
    Job: orderOf(informers.of(Job), ({ status }) => status?.conditions !== undefined || status?.active === 1),
  }
  await spoke.eventually('everything is reconciled', () =>
    Object.values(orders).every((order) => order.length === BACKLOG + 1),
  )
  for (const [kind, order] of Object.entries(orders)) {
    const before = order.indexOf(OTHER)
    assert.ok(before <= MAX_BEFORE, `${kind} of ${OTHER}: ${before} of ${BUSY} came before it`)
  }
})

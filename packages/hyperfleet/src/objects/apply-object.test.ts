import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiObject, KubeObject } from '@orrery/kinds'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { DryObjects } from '../dry-run/dry-objects.js'
import type { RecordedOperation } from '../dry-run/dry-works.js'
import { applyObject } from './apply-object.js'

const job = (generation: number, metadata: object = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'install',
    namespace: 'clusters',
    annotations: { 'hyperfleet.io/generation': String(generation) },
    ...metadata,
  },
})

/** Objects that stay after the request to delete them until their finalizers are gone, as on a server. */
class FinalizedObjects extends DryObjects {
  override async delete(object: ApiObject): Promise<void> {
    if (object.metadata.finalizers === undefined) await super.delete(object)
  }
}

function world(existing: KubeObject[]) {
  const operations: RecordedOperation[] = []
  const clock = new FakeClock()
  const objects = new FinalizedObjects(existing as unknown as ApiObject[], operations)
  const apply = (wanted: KubeObject, recreateOnChange: boolean) =>
    applyObject(wanted, { objects, clock, recreateOnChange, signal: new AbortController().signal })
  const done = () => operations.map(({ operation }) => operation)
  return { apply, clock, done }
}

test('applyObject: creates, updates another generation, and leaves the same one', async () => {
  const { apply, done } = world([])
  assert.equal((await apply(job(1), false)).operation, 'create')
  assert.equal((await apply(job(1), false)).operation, 'skip')
  assert.equal((await apply(job(2), false)).operation, 'update')
  assert.deepEqual(done(), ['get', 'create', 'get', 'get', 'patch'])
})

test('applyObject: with recreateOnChange, deletes another generation before it creates', async () => {
  const { apply, done } = world([job(1, { labels: { old: 'yes' } })])
  assert.equal((await apply(job(1), true)).operation, 'skip')
  const { operation, object } = await apply(job(2), true)
  assert.equal(operation, 'recreate')
  assert.equal(object.metadata.labels, undefined)
  assert.deepEqual(done(), ['get', 'get', 'delete', 'get', 'create'])
})

test('applyObject: waits for finalizers, and says which ones if they take too long', async () => {
  const { apply, clock } = world([job(1, { finalizers: ['example.com/backup'] })])
  const failed = assert.rejects(apply(job(2), true), {
    message:
      'Job "clusters/install" still exists 30 seconds after it was deleted: it has the finalizers example.com/backup. The next event creates it again.',
    code: 'hyperfleet-adapter-13',
  })
  let isOver = false
  void failed.finally(() => {
    isOver = true
  })
  await eventually('the wait is over', () => isOver, { meanwhile: () => clock.advance(1_000) })
  await failed
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatEventType, MANIFEST_BUNDLES, parseEventType } from './event-type.js'

test('parseEventType: reads what formatEventType writes', () => {
  const type = { dataType: MANIFEST_BUNDLES, subResource: 'status', action: 'resync_request' } as const
  const text = 'io.open-cluster-management.works.v1alpha1.manifestbundles.status.resync_request'
  assert.equal(formatEventType(type), text)
  assert.deepEqual(parseEventType(text), type)
})

for (const text of ['', 'spec.create_request', 'a.b.create_request', 'a.spec.created', 'io.cloudevents.heartbeat']) {
  test(`parseEventType: is undefined for "${text}"`, () => {
    assert.equal(parseEventType(text), undefined)
  })
}

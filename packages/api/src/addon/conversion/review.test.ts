import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDON_GROUP } from '../names.js'
import { answerConversion } from './review.js'

const review = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' }
const addOn = {
  apiVersion: `${ADDON_GROUP}/v1alpha1`,
  kind: 'ClusterManagementAddOn',
  metadata: { name: 'helloworld' },
  spec: {},
}
const asked = (...objects: object[]) => ({
  ...review,
  request: { uid: 'u1', desiredAPIVersion: `${ADDON_GROUP}/v1beta1`, objects },
})

test('answerConversion: returns the objects in the requested version', () => {
  const converted = { ...addOn, apiVersion: `${ADDON_GROUP}/v1beta1` }
  assert.deepEqual(answerConversion(asked(addOn, converted)), {
    ...review,
    response: { uid: 'u1', convertedObjects: [converted, converted], result: { status: 'Success' } },
  })
})

const STRANGE: readonly [object, string][] = [
  [
    { ...addOn, kind: 'AddOnTemplate' },
    `cannot convert AddOnTemplate of ${ADDON_GROUP}/v1alpha1 to ${ADDON_GROUP}/v1beta1`,
  ],
  [{ ...addOn, apiVersion: 'v1' }, `cannot convert ClusterManagementAddOn of v1 to ${ADDON_GROUP}/v1beta1`],
  [{ ...addOn, metadata: null }, 'objects[1] is not a Kubernetes object'],
  [[], 'objects[1] is not a Kubernetes object'],
]

for (const [object, message] of STRANGE) {
  test(`answerConversion: converts nothing if ${message}`, () => {
    assert.deepEqual(answerConversion(asked(addOn, object)).response, {
      uid: 'u1',
      convertedObjects: [],
      result: { status: 'Failure', message },
    })
  })
}

test('answerConversion: rejects a review without a request', () => {
  assert.throws(() => answerConversion(review), new TypeError('the review has no request'))
})

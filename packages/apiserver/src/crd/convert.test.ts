import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import type { ConversionStrategyType } from '@orrery/kinds/apiextensions'
import { type ConversionBackend, convertObjects } from './convert.js'
import type { ConversionReview } from './review.js'
import { widgets } from './test-crd.fixture.js'
import type { Crd } from './types.js'

function definition(strategy: ConversionStrategyType): Crd {
  const crd = widgets()
  crd.spec.versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1' }))
  crd.spec.conversion = { strategy }
  if (strategy === 'Webhook') {
    crd.spec.conversion.webhook = { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1', 'v1beta1'] }
  }
  return crd
}

function widget(version: string, extra: Record<string, unknown> = {}): KubeObject {
  const metadata = { name: 'w', namespace: 'n', uid: 'u', resourceVersion: '7', labels: { a: 'b' } }
  return { apiVersion: `example.com/${version}`, kind: 'Widget', metadata, ...extra }
}

const unreachable: ConversionBackend = {
  callWebhook: () => Promise.reject(new Error('connection refused')),
}

/** Returns a webhook that answers with the result of `answer`. */
function webhook(
  answer: (objects: KubeObject[], review: ConversionReview) => unknown,
  seen: ConversionReview[] = [],
): ConversionBackend {
  return {
    async callWebhook(_crd, review) {
      seen.push(review)
      const objects = structuredClone(review.request.objects) as KubeObject[]
      return answer(objects, review)
    },
  }
}

function success(objects: unknown[], review: ConversionReview): unknown {
  const response = { uid: review.request.uid, result: { status: 'Success' }, convertedObjects: objects }
  return { apiVersion: review.apiVersion, kind: 'ConversionReview', response }
}

const asV2 = (object: KubeObject): KubeObject => ({ ...object, apiVersion: 'example.com/v2', converted: true })

test('convertObjects: changes only the API version without a converter', async () => {
  const original = widget('v1', { spec: { a: 1 } })
  const [converted] = await convertObjects(definition('None'), [original], 'v2', unreachable)
  assert.deepEqual(converted, { ...original, apiVersion: 'example.com/v2' })
  assert.equal(original.apiVersion, 'example.com/v1')
})

test('convertObjects: sends the objects that need it to the webhook in one review', async () => {
  const seen: ConversionReview[] = []
  const backend = webhook((objects, review) => success(objects.map(asV2), review), seen)
  const objects = [widget('v1'), widget('v2', { kept: true }), widget('v1')]
  const converted = await convertObjects(definition('Webhook'), objects, 'v2', backend)
  assert.deepEqual(
    converted.map((object) => [object.apiVersion, object.converted, object.kept]),
    [
      ['example.com/v2', true, undefined],
      ['example.com/v2', undefined, true],
      ['example.com/v2', true, undefined],
    ],
  )
  assert.equal(seen.length, 1)
  assert.equal(seen[0]?.apiVersion, 'apiextensions.k8s.io/v1')
  assert.equal(seen[0]?.request.desiredAPIVersion, 'example.com/v2')
  assert.equal(seen[0]?.request.objects.length, 2)
})

test('convertObjects: accepts only changes of labels and annotations in metadata', async () => {
  const backend = webhook((objects, review) =>
    success(
      objects.map((object) => ({
        ...asV2(object),
        metadata: {
          ...object.metadata,
          resourceVersion: '99',
          labels: { c: 'd' },
          annotations: { e: 'f' },
          finalizers: ['x'],
        },
      })),
      review,
    ),
  )
  const [converted] = await convertObjects(definition('Webhook'), [widget('v1')], 'v2', backend)
  assert.deepEqual(converted?.metadata, {
    name: 'w',
    namespace: 'n',
    uid: 'u',
    resourceVersion: '7',
    labels: { c: 'd' },
    annotations: { e: 'f' },
  })
})

const name = 'conversion webhook for example.com/v1, Kind=Widget'
const FAILURES: [string, ConversionBackend, string][] = [
  ['an unreachable webhook', unreachable, `${name} failed: connection refused`],
  [
    'an answer to another request',
    webhook((objects, review) => success(objects, { ...review, request: { ...review.request, uid: 'other' } })),
    `${name} failed: expected response.uid=`,
  ],
  [
    'an answer of another kind',
    webhook(() => ({ apiVersion: 'v1', kind: 'Status' })),
    `${name} failed: expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got v1, Kind=Status`,
  ],
  [
    'an answer without a response',
    webhook((_, review) => ({ apiVersion: review.apiVersion, kind: 'ConversionReview' })),
    `${name} failed: no response provided`,
  ],
  [
    'a refusal',
    webhook((_, review) => ({
      apiVersion: review.apiVersion,
      kind: 'ConversionReview',
      response: { uid: review.request.uid, result: { status: 'Failure', message: 'cannot' } },
    })),
    `${name} failed: cannot`,
  ],
  ['too few objects', webhook((_, review) => success([], review)), `${name} returned 0 objects, expected 1`],
  [
    'an object of the wrong version',
    webhook((objects, review) => success(objects, review)),
    `${name} returned invalid converted object at index 0: invalid groupVersion (expected example.com/v2, received example.com/v1)`,
  ],
  [
    'an object of another kind',
    webhook((objects, review) =>
      success(
        objects.map((object) => ({ ...asV2(object), kind: 'Gadget' })),
        review,
      ),
    ),
    `${name} returned invalid converted object at index 0: invalid kind (expected Widget, received Gadget)`,
  ],
  [
    'another object',
    webhook((objects, review) =>
      success(
        objects.map((object) => ({ ...asV2(object), metadata: { ...object.metadata, uid: 'v' } })),
        review,
      ),
    ),
    `${name} returned invalid converted object at index 0: must have the same UID: u != v`,
  ],
  [
    'bad labels',
    webhook((objects, review) =>
      success(
        objects.map((object) => ({ ...asV2(object), metadata: { ...object.metadata, labels: { a: 1 } } })),
        review,
      ),
    ),
    `${name} returned invalid metadata in object at index 0: metadata.labels[a] must be a string in converted object`,
  ],
  [
    'no object at all',
    webhook((_, review) => success(['x'], review)),
    `${name} returned invalid converted object at index 0: not a JSON object`,
  ],
]

for (const [what, backend, message] of FAILURES) {
  test(`convertObjects: fails for ${what}`, async () => {
    await assert.rejects(convertObjects(definition('Webhook'), [widget('v1')], 'v2', backend), (error: Error) => {
      assert.ok(error.message.startsWith(message), error.message)
      return true
    })
  })
}

test('convertObjects: prefers a converter in the process', async () => {
  const backend: ConversionBackend = {
    ...unreachable,
    inProcess: new Map([
      ['widgets.example.com', (object, apiVersion) => ({ ...object, apiVersion, spec: { moved: true } })],
    ]),
  }
  const [converted] = await convertObjects(definition('None'), [widget('v1')], 'v2', backend)
  assert.deepEqual(converted?.spec, { moved: true })
})

test('convertObjects: refuses versions that the definition does not have', async () => {
  await assert.rejects(convertObjects(definition('None'), [widget('v1')], 'v3', unreachable), {
    message: 'request to convert CR to an invalid group/version: example.com/v3',
  })
  await assert.rejects(convertObjects(definition('None'), [widget('v9')], 'v1', unreachable), {
    message: 'request to convert CR from an invalid group/version: example.com/v9',
  })
})

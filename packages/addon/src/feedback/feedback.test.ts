import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldValue, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import type { FieldResult } from '../agent-addon.js'
import { feedback } from './feedback.js'

const resource = { group: 'apps', resource: 'deployments', name: 'web-*', namespace: '*' }
const cluster = { metadata: { name: 'c1' } } as ManagedCluster
const addon = { metadata: { name: 'web' } } as ManagedClusterAddOn

const replicas = feedback({
  resource,
  values: {
    readyReplicas: { type: 'Integer', path: '.status.readyReplicas', missing: 0 },
    image: { type: 'String', path: '.spec.template.spec.containers[0].image' },
  },
})

function resultOf(name: string, values: Readonly<Record<string, FieldValue>>): FieldResult {
  return { resource: { group: 'apps', resource: 'deployments', name, namespace: 'shop' }, values }
}

test('feedback: requests the values, and one that every object has', () => {
  assert.deepEqual(replicas.field, {
    resource,
    rules: [
      {
        type: 'JSONPaths',
        jsonPaths: [
          { name: 'readyReplicas', path: '.status.readyReplicas' },
          { name: 'image', path: '.spec.template.spec.containers[0].image' },
          { name: 'objectName', path: '.metadata.name' },
        ],
      },
    ],
  })
})

test('feedback: reads typed values of the selected objects, and defaults for those that are missing', () => {
  const name = { objectName: { type: 'String', string: 'web-1' } } as const
  const results = [
    resultOf('web-1', {
      ...name,
      readyReplicas: { type: 'Integer', integer: 2 },
      image: { type: 'String', string: 'i' },
    }),
    resultOf('web-2', name),
    resultOf('web-3', {}),
    resultOf('other', { readyReplicas: { type: 'Integer', integer: 7 } }),
  ]
  const read = replicas.read(results)
  assert.deepEqual(
    read.map(({ values }) => values),
    [
      { readyReplicas: 2, image: 'i' },
      { readyReplicas: 0, image: undefined },
    ],
  )
  // The types: a value with a default is always there.
  const ready: number = read[0]?.values.readyReplicas ?? -1
  const image: string | undefined = read[0]?.values.image
  assert.deepEqual([ready, image], [2, 'i'])
})

test('feedback: a probe checks each object, and throws what the check throws', () => {
  const probe = replicas.probe(({ readyReplicas }, about) => {
    if (readyReplicas < 1) throw new Error(`${about.resource.name} of ${about.cluster.metadata.name} is not ready`)
  })
  const ready = resultOf('web-1', { readyReplicas: { type: 'Integer', integer: 1 } })
  assert.deepEqual(probe.fields, [replicas.field])
  probe.check([ready], cluster, addon)
  const notReady = resultOf('web-2', { objectName: { type: 'String', string: 'web-2' } })
  assert.throws(() => probe.check([ready, notReady], cluster, addon), /^Error: web-2 of c1 is not ready$/)
})

test('feedback: a value of another type is an error', () => {
  const result = resultOf('web-1', { readyReplicas: { type: 'String', string: '2' } })
  assert.throws(() => replicas.read([result]), /readyReplicas is of type String instead of Integer/)
})

test('feedback: a name that an agent reports is compared in linear time', { timeout: 20_000 }, () => {
  const several = feedback({
    resource: { ...resource, name: '*a*a*b' },
    values: { ready: { type: 'Integer', path: '.status.readyReplicas' } },
  })
  const result = resultOf('a'.repeat(200_000), { ready: { type: 'Integer', integer: 1 } })
  assert.deepEqual(several.read([result]), [])
})

test('feedback: parses raw JSON', () => {
  const status = feedback({ resource, values: { status: { type: 'JsonRaw', path: '.status' } } })
  const result = resultOf('web-1', { status: { type: 'JsonRaw', jsonRaw: '{"phase":"Ready"}' } })
  assert.deepEqual(status.read([result])[0]?.values.status, { phase: 'Ready' })
})

test('feedback: refuses bad paths, and no values at all', () => {
  const define = (path: string) => feedback({ resource, values: { a: { type: 'Integer', path } } })
  assert.throws(() => define('{.status}'), /values\.a\.path: "\{\.status\}" must begin with "\." and have no braces/)
  assert.throws(() => define('.status['), /values\.a\.path: "\.status\[" is not a JSONPath/)
  assert.throws(() => feedback({ resource, values: {} }), /values is empty/)
})

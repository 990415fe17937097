import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { kindSchema, type StructSchema } from '@orrery/kinds/tables'
import fc from 'fast-check'
import { ConformError, conform, refuseManyItems } from './conform.js'
import { arbitraryObject } from './testing/arbitrary.fixture.js'

const schemaOf = (kind: string, group = ''): StructSchema => kindSchema(group, 'v1', kind) as StructSchema
const conformed = (kind: string, object: JsonObject, group = '') => conform(object, schemaOf(kind, group))
const refuses = (kind: string, object: JsonObject, message: string, group = '') =>
  assert.throws(() => conformed(kind, object, group), new ConformError(message))

test('conform: returns a valid object unchanged', () => {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { x: 'y' } }, data: { k: 'v' } }
  const before = structuredClone(object)
  const { object: same, unknown } = conformed('ConfigMap', object)
  assert.equal(same, object)
  assert.deepEqual(same, before)
  assert.deepEqual(unknown, [])
})

test('conform: drops unknown fields and reports their paths', () => {
  const { object, unknown } = conformed('Pod', {
    foo: 1,
    metadata: { name: 'a', Labels: {} },
    spec: { containers: [{ name: 'c' }, { name: 'd', bar: {} }] },
  })
  assert.deepEqual(unknown, ['foo', 'metadata.Labels', 'spec.containers[1].bar'])
  assert.deepEqual(Object.keys(object), ['metadata', 'spec', 'status'])
})

test('conform: names an unknown field below a map with its key', () => {
  const { unknown } = conformed(
    'CustomResourceDefinition',
    crd({ properties: { 'a/b': { nope: 1 } } }),
    'apiextensions.k8s.io',
  )
  assert.deepEqual(unknown, ['spec.versions[0].schema.openAPIV3Schema.properties.a/b.nope'])
})

test('conform: reports at most a hundred unknown fields', () => {
  const object = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 1]))
  assert.equal(conformed('ConfigMap', object).unknown.length, 100)
})

test('conform: treats an own __proto__ key as an unknown field', () => {
  const object = JSON.parse('{"__proto__": {"polluted": 1}, "data": {"a": "b"}}') as JsonObject
  const { unknown } = conformed('ConfigMap', object)
  assert.deepEqual(unknown, ['__proto__'])
  assert.equal((object as { polluted?: unknown }).polluted, undefined)
})

test('conform: drops zero values that Go omits', () => {
  const { object } = conformed('Pod', {
    metadata: { name: 'a', labels: {}, creationTimestamp: null, generation: 0 },
    spec: { containers: [{ name: 'c', args: [], tty: false, image: '' }], hostNetwork: false },
  })
  assert.deepEqual(object, {
    metadata: { name: 'a' },
    spec: { containers: [{ name: 'c', resources: {} }] },
    status: {},
  })
})

test('conform: keeps zero values behind pointers', () => {
  const { object } = conformed(
    'Deployment',
    { spec: { replicas: 0, paused: false, revisionHistoryLimit: null } },
    'apps',
  )
  const spec = object.spec as JsonObject
  assert.equal(spec.replicas, 0)
  assert.ok(!('paused' in spec) && !('revisionHistoryLimit' in spec))
})

test('conform: fills in values that Go always writes', () => {
  const { object } = conformed('Deployment', {}, 'apps')
  assert.deepEqual(object, {
    metadata: {},
    spec: { selector: null, template: { metadata: {}, spec: { containers: null } }, strategy: {} },
    status: {},
  })
})

test('conform: stores an empty list that Go always writes as null', () => {
  assert.deepEqual(conformed('Role', { rules: [] }, 'rbac.authorization.k8s.io').object.rules, null)
})

test('conform: converts nulls in lists and maps to zero values', () => {
  const { object } = conformed('ConfigMap', {
    metadata: { finalizers: [null] },
    data: { a: null },
    binaryData: { b: null },
  })
  assert.deepEqual(object, { metadata: { finalizers: [''] }, data: { a: '' }, binaryData: { b: '' } })
  const { object: range } = conformed('LimitRange', { spec: { limits: [{ type: 'Pod', max: { cpu: null } }] } })
  assert.deepEqual((range.spec as JsonObject).limits, [{ type: 'Pod', max: { cpu: '0' } }])
})

test('conform: converts null to an empty struct', () => {
  assert.deepEqual(conformed('ConfigMap', { metadata: null }).object, { metadata: {} })
})

test('conform: normalises times, quantities and bytes', () => {
  const { object: pod } = conformed('Pod', {
    metadata: { creationTimestamp: '2024-01-01T02:00:00.9+02:00', deletionTimestamp: '0001-01-01T00:00:00Z' },
    spec: { containers: [{ name: 'c', resources: { limits: { cpu: 0.5, memory: ' 1024Mi ' } } }] },
  })
  assert.deepEqual(pod.metadata, { creationTimestamp: '2024-01-01T00:00:00Z' })
  const [container] = (pod.spec as JsonObject).containers as JsonObject[]
  assert.deepEqual(container?.resources, { limits: { cpu: '500m', memory: '1Gi' } })
  assert.deepEqual(conformed('Secret', { data: { a: 'Y\nQ==' } }).object.data, { a: 'YQ==' })
  const { object: lease } = conformed(
    'Lease',
    { spec: { renewTime: '2024-01-01T02:00:00.123456+02:00' } },
    'coordination.k8s.io',
  )
  assert.deepEqual(lease.spec, { renewTime: '2024-01-01T00:00:00.123456Z' })
})

test('conform: names the Go struct, path and type of a wrong type', () => {
  const into = 'json: cannot unmarshal'
  refuses(
    'Deployment',
    { spec: { replicas: 'x' } },
    `${into} string into Go struct field DeploymentSpec.spec.replicas of type int32`,
    'apps',
  )
  refuses(
    'Deployment',
    { spec: { replicas: 1.5 } },
    `${into} number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32`,
    'apps',
  )
  refuses(
    'Deployment',
    { spec: { replicas: 2 ** 31 } },
    `${into} number 2147483648 into Go struct field DeploymentSpec.spec.replicas of type int32`,
    'apps',
  )
  refuses('ConfigMap', { data: { a: 5 } }, `${into} number into Go struct field ConfigMap.data of type string`)
  refuses('ConfigMap', { data: [] }, `${into} array into Go struct field ConfigMap.data of type map[string]string`)
  refuses(
    'ConfigMap',
    { metadata: 'x' },
    `${into} string into Go struct field ConfigMap.metadata of type v1.ObjectMeta`,
  )
  refuses(
    'ConfigMap',
    { metadata: { uid: true } },
    `${into} bool into Go struct field ObjectMeta.metadata.uid of type types.UID`,
  )
  refuses('Secret', { data: { a: {} } }, `${into} object into Go struct field Secret.data of type []uint8`)
  refuses(
    'Pod',
    { spec: { containers: {} } },
    `${into} object into Go struct field PodSpec.spec.containers of type []v1.Container`,
  )
  refuses(
    'Pod',
    { spec: { containers: [{ command: [1] }] } },
    `${into} number into Go struct field Container.spec.containers.command of type string`,
  )
  refuses(
    'Pod',
    { spec: { volumes: [{ emptyDir: 'x' }] } },
    `${into} string into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type v1.EmptyDirVolumeSource`,
  )
  refuses(
    'Pod',
    { spec: { containers: [{ ports: [{ protocol: 5 }] }] } },
    `${into} number into Go struct field ContainerPort.spec.containers.ports.protocol of type v1.Protocol`,
  )
  refuses(
    'Service',
    { spec: { ports: [{ targetPort: {} }] } },
    `${into} object into Go struct field ServicePort.spec.ports.targetPort of type int32`,
  )
  refuses(
    'Pod',
    { metadata: { creationTimestamp: 5 } },
    `${into} number into Go struct field ObjectMeta.metadata.creationTimestamp of type string`,
  )
  assert.throws(() => conform([], schemaOf('Pod')), new ConformError(`${into} array into Go value of type v1.Pod`))
})

test('conform: stops at text that cannot be parsed, with its message', () => {
  refuses(
    'ConfigMap',
    { metadata: { creationTimestamp: 'x' } },
    'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"',
  )
  refuses('Secret', { data: { a: '%%' } }, 'illegal base64 data at input byte 0')
  const quantity = `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`
  refuses('Pod', { spec: { hostNetwork: 'no', containers: [{ resources: { limits: { cpu: {} } } }] } }, quantity)
})

test('conform: reports the first wrong type if everything can be parsed', () => {
  refuses(
    'ConfigMap',
    { metadata: { name: 1, labels: 2 } },
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  )
})

test('conform: checks JSON Schema alternatives without reporting unknown fields', () => {
  const { object, unknown } = conformed(
    'CustomResourceDefinition',
    crd({
      items: { type: 'array', nope: 1, items: [] },
      additionalProperties: false,
      dependencies: { a: ['b'], c: { nope: 1 } },
      default: null,
      enum: [null, 1],
    }),
    'apiextensions.k8s.io',
  )
  assert.deepEqual(unknown, [])
  const [version] = (object.spec as { versions: { schema: { openAPIV3Schema: JsonObject } }[] }).versions
  assert.deepEqual(version?.schema.openAPIV3Schema, {
    items: { type: 'array' },
    additionalProperties: false,
    dependencies: { a: ['b'], c: {} },
    enum: [null, 1],
  })
  refuses(
    'CustomResourceDefinition',
    crd({ additionalProperties: 5 }),
    'boolean or JSON schema expected',
    'apiextensions.k8s.io',
  )
})

test('conform: handles the maximum nesting of requests', () => {
  let schema: JsonObject = {}
  for (let depth = 0; depth < 990; depth++) schema = depth % 2 === 0 ? { not: schema } : { items: schema }
  conformed('CustomResourceDefinition', crd(schema), 'apiextensions.k8s.io')
})

test('conform: is idempotent', () => {
  for (const [kind, group] of [
    ['Pod', ''],
    ['CustomResourceDefinition', 'apiextensions.k8s.io'],
    ['Event', 'events.k8s.io'],
  ] as const) {
    const schema = schemaOf(kind, group)
    fc.assert(
      fc.property(arbitraryObject(schema), (object) => {
        const once = structuredClone(conform(object, schema).object)
        const twice = conform(structuredClone(once), schema)
        assert.deepEqual(twice.object, once)
        assert.deepEqual(twice.unknown, [])
      }),
      { numRuns: 60 },
    )
  }
})

function crd(openAPIV3Schema: JsonObject): JsonObject {
  return { spec: { versions: [{ schema: { openAPIV3Schema } }] } }
}

test('conform: refuses objects with too many items: structs, nulls that become structs, map entries and set items', () => {
  const pod = (containers: JsonValue[]) => ({ metadata: { name: 'a' }, spec: { containers } })
  const entries = Object.fromEntries(Array.from({ length: 150_000 }, (_, i) => [`k${i}`, '']))
  const tooMany = /the object has more than 100000 items/
  assert.throws(() => conformed('Pod', pod(Array.from({ length: 150_000 }, () => ({})))), tooMany)
  assert.throws(() => conformed('Pod', pod(Array(150_000).fill(null))), tooMany)
  assert.throws(() => conformed('ConfigMap', { metadata: { name: 'a' }, data: entries }), tooMany)
  for (const containers of [Array.from({ length: 150_000 }, () => ({})), Array(150_000).fill(null)]) {
    assert.throws(() => refuseManyItems(pod(containers), schemaOf('Pod')), tooMany)
  }
  const finalizers = Object.keys(entries)
  assert.throws(() => conformed('ConfigMap', { metadata: { name: 'a', finalizers } }), tooMany)
  assert.throws(() => refuseManyItems({ metadata: { finalizers } }, schemaOf('ConfigMap')), tooMany)
  assert.throws(() => refuseManyItems({ data: entries }, schemaOf('ConfigMap')), tooMany)
  refuseManyItems({ data: { a: 'b' }, metadata: null }, schemaOf('ConfigMap'))
})

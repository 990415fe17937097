import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Field,
  kindSchema,
  type ListSchema,
  metaSchemas,
  type Schema,
  type StructSchema,
  structByName,
} from '@orrery/kinds/tables'
import { builtinResources, storageApiVersion } from './index.js'

const resource = (group: string, plural: string) => {
  const found = builtinResources().find((one) => one.group === group && one.plural === plural)
  assert.ok(found, `${plural}.${group}`)
  return found
}

const field = (struct: StructSchema, name: string): Field => {
  const found = struct.fields.get(name)
  assert.ok(found, `${struct.name}.${name}`)
  return found
}

test('builtinResources: have their discovery data', () => {
  const pods = resource('', 'pods')
  assert.equal(pods.kind, 'Pod')
  assert.equal(pods.listKind, 'PodList')
  assert.equal(pods.singular, 'pod')
  assert.deepEqual(pods.shortNames, ['po'])
  assert.deepEqual(pods.categories, ['all'])
  assert.equal(pods.namespaced, true)
  assert.equal(pods.verbs.length, 8)
  assert.deepEqual(pods.subresources.get('eviction'), {
    name: 'eviction',
    group: 'policy',
    version: 'v1',
    kind: 'Eviction',
    verbs: ['create'],
  })
  assert.deepEqual(pods.subresources.get('status')?.verbs, ['get', 'patch', 'update'])
  assert.deepEqual(resource('authorization.k8s.io', 'selfsubjectaccessreviews').verbs, ['create'])
  assert.ok(!resource('', 'namespaces').verbs.includes('deletecollection'))
  assert.deepEqual([...resource('storage.k8s.io', 'csinodes').subresources.keys()], [])
})

test('builtinResources: have a bucket each, except for events and the versions of autoscalers', () => {
  assert.equal(resource('apps', 'deployments').storage.bucket, 'deployments.apps')
  assert.equal(resource('', 'configmaps').storage.bucket, 'configmaps')
  const core = resource('', 'events')
  const events = resource('events.k8s.io', 'events')
  assert.equal(core.storage.bucket, events.storage.bucket)
  assert.equal(storageApiVersion(events), 'v1')
  assert.equal(storageApiVersion(resource('autoscaling', 'horizontalpodautoscalers')), 'autoscaling/v2')
  assert.equal(storageApiVersion(resource('apps', 'deployments')), 'apps/v1')
  const buckets = builtinResources().map((one) => one.storage.bucket)
  assert.equal(new Set(buckets).size, buckets.length - 2)
})

test('builtinResources: have fields with merge strategy, protobuf number and default', () => {
  const ports = field(structByName('io.k8s.api.core.v1.Container'), 'ports')
  const list = ports.schema as ListSchema
  assert.equal(list.topology, 'map')
  assert.deepEqual(list.keys, ['containerPort', 'protocol'])
  assert.equal(ports.patchStrategy, 'merge')
  assert.equal(ports.patchMergeKey, 'containerPort')
  assert.deepEqual(ports.proto, [6])
  assert.equal(field(list.items as StructSchema, 'protocol').default, 'TCP')

  const volumes = field(structByName('io.k8s.api.core.v1.PodSpec'), 'volumes')
  assert.equal(volumes.patchStrategy, 'merge,retainKeys')
  const strategy = field(structByName('io.k8s.api.apps.v1.DeploymentSpec'), 'strategy')
  assert.equal(strategy.patchStrategy, 'retainKeys')
  assert.equal(structByName('io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector').atomic, true)
  assert.equal(field(structByName('io.k8s.api.core.v1.ServiceSpec'), 'selector').schema.type, 'map')
})

test('builtinResources: can merge a field granularly although its type is atomic', () => {
  const claim = field(structByName('io.k8s.api.core.v1.PersistentVolumeSpec'), 'claimRef').schema as StructSchema
  const reference = structByName('io.k8s.api.core.v1.ObjectReference')
  assert.deepEqual([claim.atomic, reference.atomic], [false, true])
  assert.equal(claim.fields, reference.fields)
})

test('builtinResources: flatten inlined structs and keep their place in protobuf', () => {
  const emptyDir = field(structByName('io.k8s.api.core.v1.Volume'), 'emptyDir')
  assert.deepEqual(emptyDir.proto, [2, 2])
  assert.deepEqual(emptyDir.inlined, ['VolumeSource'])
  assert.equal(field(structByName('io.k8s.api.core.v1.Pod'), 'apiVersion').proto, undefined)
})

test('builtinResources: require a field if the API documentation does', () => {
  assert.equal(field(structByName('io.k8s.api.batch.v1.CronJob'), 'spec').required, true)
  assert.equal(field(structByName('io.k8s.api.apps.v1.Deployment'), 'spec').required, false)
  assert.equal(field(structByName('io.k8s.api.core.v1.Container'), 'name').required, true)
  assert.equal(field(structByName('io.k8s.api.core.v1.Container'), 'image').required, false)
  assert.equal(field(structByName('io.k8s.api.rbac.v1.Role'), 'rules').required, false)
})

test('kindSchema: finds kinds that are not resources', () => {
  for (const [group, version, kind] of [
    ['autoscaling', 'v1', 'Scale'],
    ['policy', 'v1', 'Eviction'],
    ['authentication.k8s.io', 'v1', 'TokenRequest'],
    ['', 'v1', 'PodList'],
    ['', 'v1', 'Status'],
    ['meta.k8s.io', 'v1', 'Table'],
    ['meta.k8s.io', 'v1', 'PartialObjectMetadataList'],
    ['admission.k8s.io', 'v1', 'AdmissionReview'],
    ['apiextensions.k8s.io', 'v1', 'ConversionReview'],
  ] as const) {
    assert.ok(kindSchema(group, version, kind), kind)
  }
  assert.equal(kindSchema('apps', 'v1', 'DeleteOptions'), metaSchemas.DeleteOptions)
})

test('kindSchema: returns undefined for an unknown kind', () => {
  assert.equal(kindSchema('', 'v1', 'PodSpec'), undefined)
  assert.equal(kindSchema('', 'v1', 'Protocol'), undefined)
  assert.equal(kindSchema('', 'v1', 'ObjectMeta'), undefined)
  assert.equal(kindSchema('', 'v2', 'Pod'), undefined)
  assert.equal(kindSchema('nowhere.example', 'v1', 'constructor'), undefined)
  assert.throws(() => structByName('io.k8s.api.core.v1.Nothing'), /no built-in type/)
})

test('builtinResources: resolve every type of every kind consistently', () => {
  const seen = new Set<StructSchema>()
  const walk = (schema: Schema): void => {
    if (schema.type === 'list') walk(schema.items)
    if (schema.type === 'map') walk(schema.values)
    if (schema.type === 'any' && schema.choice !== undefined) walk(schema.choice.schema)
    if (schema.type !== 'struct' || seen.has(schema)) return
    seen.add(schema)
    const numbers = [...schema.fields.values()].flatMap((one) => (one.proto === undefined ? [] : [one.proto.join('.')]))
    assert.equal(new Set(numbers).size, numbers.length, `${schema.name}: protobuf numbers repeat`)
    for (const one of schema.fields.values()) {
      checkMergeKeys(schema, one)
      walk(one.schema)
    }
  }
  for (const one of builtinResources()) walk(one.schema)
  for (const one of Object.values(metaSchemas)) walk(one)
  assert.ok(seen.size > 400)
})

function checkMergeKeys(struct: StructSchema, { name, schema, patchMergeKey }: Field): void {
  if (schema.type !== 'list') return
  const keys = schema.topology === 'map' ? schema.keys : []
  for (const key of patchMergeKey === undefined ? keys : [...keys, patchMergeKey]) {
    assert.ok((schema.items as StructSchema).fields.has(key), `${struct.name}.${name}: no key ${key}`)
  }
  if (schema.topology === 'map') assert.ok(schema.keys.length > 0, `${struct.name}.${name}: no keys`)
}

import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import { decodeMqtt, encodeMqtt } from './mqtt-message.js'
import { decodeCloudEvent, encodeCloudEvent } from './protobuf.js'
import { statusHash } from './status-hash.js'
import { readSpecEvent, readStatusEvent, specEvent, statusEvent } from './work-events.js'

const at = '2026-08-04T11:20:54Z'
const work = {
  apiVersion: 'work.open-cluster-management.io/v1',
  kind: 'ManifestWork',
  metadata: {
    name: 'nginx',
    namespace: 'c1',
    uid: 'u',
    resourceVersion: '5',
    creationTimestamp: at,
    labels: { app: 'web' },
    annotations: { 'logging.open-cluster-management.io/op-id': 'op-1', other: 'x' },
  },
  spec: {
    workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }] },
    deleteOption: { propagationPolicy: 'Orphan' },
    manifestConfigs: [{ resourceIdentifier: { group: '', resource: 'configmaps', name: 'a', namespace: '' } }],
    executor: { subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 's' } } },
  },
  status: {
    conditions: [{ type: 'Applied', status: 'True', reason: 'R', message: '', lastTransitionTime: at }],
    resourceStatus: {
      manifests: [{ resourceMeta: { ordinal: 0 }, conditions: [], statusFeedback: { values: [] } }],
    },
  },
} as unknown as ManifestWork

const spec = { source: 'mw', resourceId: 'id-1', resourceVersion: 3, work } as const
const wires: Readonly<Record<string, (event: CloudEvent) => CloudEvent>> = {
  gRPC: (event) => decodeCloudEvent(encodeCloudEvent(event)),
  MQTT: (event) => decodeMqtt(encodeMqtt(event)),
}

for (const [name, wire] of Object.entries(wires)) {
  test(`readSpecEvent: reads what specEvent writes, over ${name}`, () => {
    assert.deepEqual(readSpecEvent(wire(specEvent({ ...spec, action: 'create_request' }))), {
      source: 'mw',
      clusterName: 'c1',
      resourceId: 'id-1',
      resourceVersion: 3,
      metadata: work.metadata,
      spec: work.spec,
    })
  })

  test(`readSpecEvent: a deletion has no spec, over ${name}`, () => {
    const deleted = { ...work, metadata: { ...work.metadata, deletionTimestamp: at } }
    const event = specEvent({ ...spec, action: 'delete_request', work: deleted })
    assert.equal(event.data, undefined)
    assert.deepEqual(readSpecEvent(wire(event)), {
      source: 'mw',
      clusterName: 'c1',
      resourceId: 'id-1',
      resourceVersion: 3,
      metadata: deleted.metadata,
      deletionTimestamp: new Date(at),
    })
  })

  test(`readStatusEvent: reads what statusEvent writes, over ${name}`, () => {
    const event = statusEvent({
      agentId: 'c1-work-agent',
      action: 'update_request',
      resourceId: 'id-1',
      resourceVersion: 3,
      sequenceId: '4096',
      originalSource: 'maestro',
      work,
    })
    assert.equal(event.extensions.statushash, statusHash(work.status))
    assert.equal(event.extensions.originalsource, 'maestro')
    const { resourceVersion: _, ...metadata } = work.metadata
    assert.deepEqual(readStatusEvent(wire(event)), {
      resourceId: 'id-1',
      resourceVersion: 3,
      sequenceId: '4096',
      metadata,
      status: work.status,
    })
  })
}

test('specEvent: uses the names of the wire format', () => {
  const event = specEvent({ ...spec, action: 'update_request' })
  assert.equal(event.type, 'io.open-cluster-management.works.v1alpha1.manifestbundles.spec.update_request')
  assert.equal(event.extensions.logtracing, '{"logging.open-cluster-management.io/op-id":"op-1"}')
  const data = JSON.parse(Buffer.from(event.data as Uint8Array).toString())
  assert.deepEqual(Object.keys(data), ['manifests', 'deleteOption', 'manifestConfigs', 'executer'])
})

test('readSpecEvent: takes the tracing extension into the annotations', () => {
  const event = specEvent({ ...spec, action: 'create_request' })
  const logtracing = '{"logging.open-cluster-management.io/op-id":"op-2","foreign":"x"}'
  const { metadata } = readSpecEvent({ ...event, extensions: { ...event.extensions, logtracing } })
  assert.deepEqual(metadata.annotations, { 'logging.open-cluster-management.io/op-id': 'op-2', other: 'x' })
})

test('readSpecEvent: a work that the source does not know has no version', () => {
  const event = specEvent({ ...spec, action: 'resync_response' })
  const { resourceversion: _, metadata: __, ...extensions } = event.extensions
  const message = readSpecEvent({ ...event, extensions: { ...extensions, deletiontimestamp: new Date(at) } })
  assert.deepEqual(message, {
    source: 'mw',
    clusterName: 'c1',
    resourceId: 'id-1',
    metadata: {},
    deletionTimestamp: new Date(at),
  })
})

test('readStatusEvent: reads the spec that a server adds, and lists that Go writes as null', () => {
  const data = Buffer.from('{"manifestBundle":{"manifests":null},"conditions":null}')
  const event = statusEvent({
    agentId: 'a',
    action: 'update_request',
    resourceId: 'id-1',
    resourceVersion: 3,
    sequenceId: '4096',
    originalSource: 'maestro',
    work,
  })
  const message = readStatusEvent({ ...event, data })
  assert.deepEqual(message.spec, { workload: { manifests: [] } })
  assert.deepEqual(message.status, { conditions: [], resourceStatus: { manifests: [] } })
})

for (const [missing, message] of [
  ['resourceid', 'failed to get resourceid extension: invalid CloudEvents value: <nil>'],
  ['clustername', 'failed to get clustername extension: invalid CloudEvents value: <nil>'],
  ['resourceversion', 'failed to get resourceversion extension: invalid CloudEvents value: <nil>'],
] as const) {
  test(`readSpecEvent: rejects an event without ${missing}`, () => {
    const event = specEvent({ ...spec, action: 'create_request' })
    const { [missing]: _, ...extensions } = event.extensions
    assert.throws(() => readSpecEvent({ ...event, extensions }), new CodecError(message))
  })
}

for (const [extension, value] of [
  ['resourceversion', 'many'],
  ['resourceversion', '3000000000'],
  ['resourceversion', ''],
  ['clustername', 3],
  ['metadata', '{'],
  ['metadata', '[]'],
  ['deletiontimestamp', 'yesterday'],
] as const) {
  test(`readSpecEvent: rejects ${extension} ${JSON.stringify(value)}`, () => {
    const event = specEvent({ ...spec, action: 'create_request' })
    const extensions = { ...event.extensions, [extension]: value }
    assert.throws(() => readSpecEvent({ ...event, extensions }), CodecError)
  })
}

for (const data of ['', 'null', '{"manifests":{}}', '{"manifests":[1]}', '{"manifests":[],"manifestConfigs":"x"}']) {
  test(`readSpecEvent: rejects the data ${JSON.stringify(data)}`, () => {
    const event = { ...specEvent({ ...spec, action: 'create_request' }), data: Buffer.from(data) }
    assert.throws(() => readSpecEvent(event), CodecError)
  })
}

test('readSpecEvent: refuses an executor that is no object, which would be applied without one', () => {
  const event = specEvent({ source: 's', action: 'create_request', resourceId: 'r', resourceVersion: 1, work })
  for (const part of ['"executer":"x"', '"deleteOption":[]']) {
    const data = Buffer.from(`{"manifests":[],${part}}`)
    assert.throws(() => readSpecEvent({ ...event, data }), CodecError)
  }
})

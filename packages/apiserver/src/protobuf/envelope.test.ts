import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '@orrery/kinds'
import { metaSchemas } from '@orrery/kinds/tables'
import { StatusError } from '@orrery/kinds/values'
import { decodeMessage } from './decode.js'
import { decodeProtobuf, encodeProtobuf, encodeWatchFrame, isProtobuf, openEnvelope } from './envelope.js'

const scale = {
  kind: 'Scale',
  apiVersion: 'autoscaling/v1',
  metadata: { name: 'web' },
  spec: { replicas: 3 },
  status: { replicas: 0 },
}

/** The bytes of a DeleteOptions with propagationPolicy Foreground, written by hand. */
const deleteOptions = Buffer.concat([
  Buffer.from('k8s\0', 'latin1'),
  Buffer.from('0a130a027631120d', 'hex'),
  Buffer.from('DeleteOptions'),
  Buffer.from('120c220a', 'hex'),
  Buffer.from('Foreground'),
  Buffer.from('1a002200', 'hex'),
])

const refusal = (message: RegExp) => (error: unknown) =>
  error instanceof StatusError && error.code === 400 && message.test(error.message)

test('openEnvelope: returns the type of the message', () => {
  assert.ok(isProtobuf(deleteOptions))
  assert.deepEqual(decodeProtobuf(deleteOptions), {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy: 'Foreground',
  })
  assert.equal(openEnvelope(deleteOptions).kind, 'DeleteOptions')
})

test('encodeProtobuf, decodeProtobuf: restore the object', () => {
  const bytes = encodeProtobuf(scale)
  assert.ok(bytes)
  assert.deepEqual(decodeProtobuf(bytes), scale)
  assert.ok(encodeProtobuf(decodeProtobuf(deleteOptions))?.equals(deleteOptions))
})

test('encodeProtobuf: supports lists and Status, but not tables and custom resources', () => {
  const item = { metadata: { name: 'a' }, data: { k: 'v' } }
  const list = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [item] }
  assert.deepEqual(decodeProtobuf(encodeProtobuf(list) as Buffer), list)
  const status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    details: { causes: [{ field: 'x' }] },
    code: 404,
  }
  assert.deepEqual(decodeProtobuf(encodeProtobuf(status) as Buffer), status)
  assert.equal(encodeProtobuf({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' }), undefined)
  assert.equal(encodeProtobuf({ kind: 'Widget', apiVersion: 'example.com/v1' }), undefined)
  assert.equal(encodeProtobuf({ kind: 'Pod', apiVersion: 'a/b/c' }), undefined)
})

test('decodeProtobuf: defaults to the expected kind', () => {
  const bare = encodeProtobuf({ ...scale, kind: '', apiVersion: '' }, undefined)
  assert.equal(bare, undefined)
  const anonymous = Buffer.from('6b387300 0a040a001200 12041202 0803'.replaceAll(' ', ''), 'hex')
  assert.deepEqual(decodeProtobuf(anonymous, scale), { ...scale, metadata: {} })
  assert.throws(() => decodeProtobuf(anonymous), refusal(/'Kind' is missing/))
})

test('decodeProtobuf: refuses other bodies', () => {
  assert.throws(() => decodeProtobuf(Buffer.from('{}')), refusal(/does not appear to be a protobuf message/))
  assert.throws(() => decodeProtobuf(Buffer.from('k8s\0', 'latin1')), refusal(/empty body/))
  assert.throws(() => decodeProtobuf(Buffer.from('k8s\0\xff', 'latin1')), refusal(/unexpected EOF/))
  assert.throws(() => decodeProtobuf(Buffer.from('6b3873000a080a0276311202583912', 'hex')), refusal(/./))
  const unknownKind = Buffer.from('6b387300 0a07 0a027631 120158'.replaceAll(' ', ''), 'hex')
  assert.throws(() => decodeProtobuf(unknownKind), refusal(/no kind "X" is registered for version "v1"/))
})

test('encodeWatchFrame: writes a length and an event with an enveloped object', () => {
  const object = encodeProtobuf(scale) as Buffer
  const frame = encodeWatchFrame('ADDED', object)
  assert.equal(frame.readUInt32BE(0), frame.length - 4)
  const event = frame.subarray(4)
  assert.equal(event.subarray(0, 7).toString('latin1'), '\n\x05ADDED')
  assert.ok(event.subarray(-object.length).equals(object))
  const json = encodeWatchFrame('DELETED', Buffer.from(JSON.stringify({ a: 1 })))
  const decoded: JsonObject = decodeMessage(json.subarray(4), metaSchemas.WatchEvent)
  assert.deepEqual(decoded, { type: 'DELETED', object: { a: 1 } })
})

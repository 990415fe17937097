import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import { CodecError } from './codec-error.js'
import { anyEvent } from './events.fixture.js'
import { Extension, integerExtension, textExtension, timeExtension } from './extensions.js'
import { decodeMqtt, encodeMqtt } from './mqtt-message.js'
import { encodeStructured } from './structured-json.js'

test('encodeMqtt: writes attributes as user properties with a prefix, in the texts of the Go client', () => {
  const message = encodeMqtt({
    id: '1',
    source: 's',
    type: 't',
    time: new Date('2026-08-04T11:20:54.120Z'),
    dataContentType: 'application/json',
    extensions: { resourceversion: 7, flag: true, raw: Buffer.from([1]), at: new Date('2026-08-04T11:20:54Z') },
    data: Buffer.from('{}'),
  })
  assert.deepEqual(message, {
    userProperties: {
      'ce-specversion': '1.0',
      'ce-id': '1',
      'ce-source': 's',
      'ce-type': 't',
      'ce-time': '2026-08-04T11:20:54.12Z',
      'ce-resourceversion': '7',
      'ce-flag': 'true',
      'ce-raw': 'AQ==',
      'ce-at': '2026-08-04T11:20:54Z',
    },
    contentType: 'application/json',
    payload: Buffer.from('{}'),
  })
})

test('decodeMqtt: restores every event whose extensions are texts', () => {
  const event = anyEvent(fc.string({ unit: 'grapheme' })).filter(({ data }) => data === undefined || data.length > 0)
  fc.assert(fc.property(event, (one) => assert.deepEqual(decodeMqtt(encodeMqtt(one)), one)))
})

test('decodeMqtt: extensions of other types are read from their texts', () => {
  const at = new Date('2026-08-04T11:20:54.120Z')
  const event = decodeMqtt(
    encodeMqtt({
      id: '1',
      source: 's',
      type: 't',
      extensions: { [Extension.ResourceVersion]: 7, [Extension.DeletionTimestamp]: at, [Extension.ClusterName]: 'c' },
    }),
  )
  assert.equal(integerExtension(event, Extension.ResourceVersion), 7)
  assert.deepEqual(timeExtension(event, Extension.DeletionTimestamp), at)
  assert.equal(textExtension(event, Extension.ClusterName), 'c')
})

test('decodeMqtt: reads structured JSON', () => {
  const event = { id: '1', source: 's', type: 't', extensions: { a: 'b' } }
  const message = { contentType: 'application/cloudevents+json; charset=utf-8', payload: encodeStructured(event) }
  assert.deepEqual(decodeMqtt(message), event)
  assert.throws(() => decodeMqtt({ ...message, contentType: 'application/cloudevents+avro' }), CodecError)
})

test('decodeMqtt: rejects a message without a version', () => {
  const payload = Buffer.alloc(0)
  assert.throws(() => decodeMqtt({ payload }), new CodecError('unknown Message encoding'))
  assert.throws(() => decodeMqtt({ payload, userProperties: { 'ce-specversion': ['2.0'] } }), CodecError)
})

test('encodeMqtt: rejects an attribute that is longer than MQTT allows', () => {
  const metadata = 'x'.repeat(65_536)
  assert.throws(
    () => encodeMqtt({ id: '1', source: 's', type: 't', extensions: { metadata } }),
    new CodecError('the attribute metadata is longer than 65535 bytes, the limit of MQTT'),
  )
})

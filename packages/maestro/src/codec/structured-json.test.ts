import assert from 'node:assert/strict'
import { Buffer } from 'node:buffer'
import { test } from 'node:test'
import fc from 'fast-check'
import { CodecError } from './codec-error.js'
import { anyEvent } from './events.fixture.js'
import { decodeStructured, encodeStructured } from './structured-json.js'

test('decodeStructured: restores every event whose extensions are plain values', () => {
  const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean())
  fc.assert(fc.property(anyEvent(value), (one) => assert.deepEqual(decodeStructured(encodeStructured(one)), one)))
})

test('encodeStructured: writes JSON data as it is and other data in base64', () => {
  const event = { id: '1', source: 's', type: 't', extensions: {}, data: Buffer.from('{"a":[1]}') }
  const json = { ...event, dataContentType: 'application/json' }
  assert.deepEqual(JSON.parse(String(encodeStructured(json))).data, { a: [1] })
  assert.deepEqual(decodeStructured(encodeStructured(json)), json)
  assert.equal(JSON.parse(String(encodeStructured({ ...event, dataContentType: 'text/plain' }))).data_base64.length, 12)
})

for (const text of [
  '',
  '[]',
  'null',
  '{"id":"1"}',
  '{"specversion":"1.0","a":{}}',
  '{"specversion":"1.0","data_base64":"*"}',
]) {
  test(`decodeStructured: rejects ${JSON.stringify(text)}`, () => {
    assert.throws(() => decodeStructured(Buffer.from(text)), CodecError)
  })
}

test('decodeStructured: refuses data that is nested too deeply', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const event = `{"specversion":"1.0","id":"1","source":"s","type":"t","data":${deep}}`
  assert.throws(() => decodeStructured(Buffer.from(event)), CodecError)
})

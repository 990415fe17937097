import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { StoredEntry } from './entry.js'
import { RecordDamaged, readRecord, recordSizeLimit, writeRecord, writeRevision } from './record.js'

const text = fc.string({ unit: 'grapheme', maxLength: 40 })
const revision = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const record = fc
  .record({ bucket: text, namespace: text, name: text, revision, bytes: fc.uint8Array(), remove: fc.boolean() })
  .map(({ bucket, namespace, name, revision, bytes, remove }) => ({
    entry: new StoredEntry(bucket, namespace, name, revision, Buffer.from(bytes)),
    remove,
  }))

function encode(value: Parameters<typeof writeRecord>[0]): Buffer {
  const target = Buffer.alloc(recordSizeLimit(value) + 3)
  return target.subarray(3, writeRecord(value, target, 3))
}

test('readRecord: reads what writeRecord wrote', () => {
  fc.assert(
    fc.property(record, (value) => {
      assert.deepEqual(readRecord(value.entry.revision, encode(value)), value)
    }),
  )
})

test('readRecord: detects changed bytes, truncation and a wrong revision', () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.integer({ min: 1, max: 255 }), (value, place, change) => {
      const data = encode(value)
      const { revision } = value.entry
      assert.throws(() => readRecord(revision === 1 ? 2 : revision - 1, data), RecordDamaged)
      assert.throws(() => readRecord(revision, data.subarray(0, place % data.length)), RecordDamaged)
      const at = place % data.length
      data[at] = (data[at] as number) ^ change
      assert.throws(() => readRecord(revision, data), RecordDamaged)
    }),
  )
})

test('writeRevision: writes keys that sort like numbers', () => {
  fc.assert(
    fc.property(revision, revision, (a, b) => {
      const keys = [Buffer.alloc(8), Buffer.alloc(8)] as const
      writeRevision(a, keys[0])
      writeRevision(b, keys[1])
      assert.equal(Number(keys[0].readBigUInt64BE(0)), a)
      assert.equal(Buffer.compare(keys[0], keys[1]), Math.sign(a - b))
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { BYTES, FIXED64, ProtobufError, Reader, VARINT } from './reader.js'
import { Writer } from './writer.js'

const written = (write: (writer: Writer) => void, capacity?: number): Buffer => {
  const writer = new Writer(capacity)
  write(writer)
  return writer.finish()
}

test('Writer, Reader: restore integers', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.constantFrom(127, 128, 2 ** 28 - 1, 2 ** 28, -1)),
      (value) => {
        const reader = new Reader(written((writer) => writer.integer(5, value), 1))
        assert.equal(reader.tag(), (5 << 3) | VARINT)
        assert.equal(reader.int64(), value)
        assert.ok(reader.isDone)
      },
    ),
  )
})

test('Writer, Reader: restore strings, bytes and doubles', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array(), fc.double(), (text, bytes, number) => {
      const reader = new Reader(
        written((writer) => {
          writer.double(number)
          writer.tag(3, FIXED64)
          writer.bytes(2, bytes)
          writer.string(1, text)
        }, 1),
      )
      assert.equal(reader.tag(), (1 << 3) | BYTES)
      assert.equal(reader.string(), text)
      reader.tag()
      assert.deepEqual(new Uint8Array(reader.bytes()), bytes)
      reader.tag()
      assert.equal(reader.double(), number)
    }),
  )
})

test('Writer: writes known bytes', () => {
  assert.equal(written((writer) => writer.integer(1, 150)).toString('hex'), '089601')
  assert.equal(written((writer) => writer.string(2, 'testing')).toString('hex'), '120774657374696e67')
  assert.equal(written((writer) => writer.integer(1, -1)).toString('hex'), '08ffffffffffffffffff01')
})

test('Reader: keeps the sign of a 32-bit integer in ten or five bytes', () => {
  assert.equal(new Reader(Buffer.from('ffffffffffffffffff01', 'hex')).int32(), -1)
  assert.equal(new Reader(Buffer.from('ffffffff0f', 'hex')).int32(), -1)
})

test('Reader: stays within the entered block', () => {
  const reader = new Reader(Buffer.from('0001', 'hex'))
  const outerEnd = reader.enter()
  assert.ok(reader.isDone)
  assert.throws(() => reader.tag(), ProtobufError)
  reader.leave(outerEnd)
  assert.ok(!reader.isDone)
})

test('Reader: skips fields of any wire type, including groups', () => {
  for (const [wireType, hex] of [
    [VARINT, '9601'],
    [FIXED64, '0000000000000000'],
    [BYTES, '03616263'],
    [3, '089601136a0014' + '0c'],
    [5, '00000000'],
  ] as const) {
    const reader = new Reader(Buffer.from(hex, 'hex'))
    reader.skip(wireType)
    assert.ok(reader.isDone, hex)
  }
})

test('Reader: refuses invalid bytes', () => {
  const refused = (hex: string, read: (reader: Reader) => unknown) =>
    assert.throws(() => read(new Reader(Buffer.from(hex, 'hex'))), ProtobufError, hex)
  refused('', (reader) => reader.tag())
  refused('00', (reader) => reader.tag())
  refused('ffffffffffffffffffff01', (reader) => reader.int64())
  refused('80808080', (reader) => reader.int64())
  refused('05616263', (reader) => reader.string())
  refused('ffffffff0f61', (reader) => reader.bytes())
  refused('ffffffffffffffff7f61', (reader) => reader.enter())
  refused('0000', (reader) => reader.double())
  refused('00', (reader) => reader.skip(4))
  refused('00', (reader) => reader.skip(6))
  refused('0b'.repeat(50), (reader) => reader.skip(3))
})

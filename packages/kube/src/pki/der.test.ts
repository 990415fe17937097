import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseCertificate } from './certificate.js'
import { parseCsrDer } from './csr.js'
import { DerError, DerReader, readBitString, readInteger, readOid, readSingle, readTime, TAG } from './der-reader.js'
import { bitString, directoryString, element, integer, oid, sequence, setOf, time } from './derwriter.js'

const hex = (text: string) => Buffer.from(text.replace(/ /g, ''), 'hex')
const single = (bytes: Buffer, tag: number) => readSingle(bytes, tag, 'it')

test('DER: reads and writes lengths in their shortest form at every size', () => {
  for (const size of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const written = element(TAG.octetString, Buffer.alloc(size))
    assert.equal(single(written, TAG.octetString).content.length, size)
  }
  for (const wrong of ['04 81 01 00', '04 82 00 80', '04 80 00 00', '04 85 00 00 00 00 01 00', '04 ff']) {
    assert.throws(() => single(hex(wrong), TAG.octetString), DerError, wrong)
  }
})

test('DER: rejects truncated, trailing and unexpected elements', () => {
  assert.throws(() => single(hex('04 05 01'), TAG.octetString), /truncated/)
  assert.throws(() => single(hex('04 01 01 00'), TAG.octetString), /unexpected bytes/)
  assert.throws(() => single(hex('02 01 01'), TAG.octetString), /tag 0x2/)
  assert.throws(() => single(hex('1f 81 01 00'), TAG.octetString), /multi-byte tag/)
  assert.throws(() => single(Buffer.alloc(0), TAG.octetString), /missing/)
})

test('DER: integers keep their value and must be minimal', () => {
  assert.deepEqual(integer(0), hex('02 01 00'))
  assert.deepEqual(integer(128), hex('02 02 00 80'))
  assert.deepEqual(integer(hex('00 00 01')), hex('02 01 01'))
  assert.throws(() => readInteger(single(hex('02 02 00 01'), TAG.integer), 'it'), DerError)
  assert.throws(() => readInteger(single(hex('02 00'), TAG.integer), 'it'), DerError)
})

test('DER: rejects bit strings with invalid padding', () => {
  assert.deepEqual(readBitString(single(bitString(hex('f0'), 4), TAG.bitString), 'it'), {
    bytes: hex('f0'),
    unusedBits: 4,
  })
  assert.throws(() => readBitString(single(hex('03 02 04 f1'), TAG.bitString), 'it'), /padding/)
  assert.throws(() => readBitString(single(hex('03 01 01'), TAG.bitString), 'it'), DerError)
})

test('DER: object identifiers round-trip', () => {
  const arcs = fc.tuple(fc.constantFrom(0, 1, 2), fc.nat(39), fc.array(fc.nat(2 ** 31 - 1), { maxLength: 8 }))
  fc.assert(
    fc.property(arcs, ([root, branch, rest]) => {
      const dotted = [root, branch, ...rest].join('.')
      assert.equal(readOid(single(oid(dotted), TAG.oid), 'it'), dotted)
    }),
  )
  assert.throws(() => readOid(single(hex('06 02 55 80'), TAG.oid), 'it'), DerError)
  assert.throws(() => readOid(single(hex('06 02 80 01'), TAG.oid), 'it'), DerError)
})

test('DER: times round-trip on both sides of 2050 and must be valid', () => {
  for (const iso of ['1970-01-01T00:00:00Z', '2049-12-31T23:59:59Z', '2050-01-01T00:00:00Z', '9999-12-31T23:59:59Z']) {
    const bytes = time(new Date(iso))
    assert.equal(readTime(new DerReader(bytes).next('it'), 'it').toISOString(), new Date(iso).toISOString())
  }
  const utc = (text: string) => new DerReader(element(TAG.utcTime, Buffer.from(text))).next('it')
  for (const wrong of ['260230000000Z', '2601010000Z', '260101000000+0100', '261301000000Z', '']) {
    assert.throws(() => readTime(utc(wrong), 'it'), DerError, wrong)
  }
})

test('DER: sorts set members and uses the narrowest string type', () => {
  assert.deepEqual(setOf([integer(2), integer(1)]), setOf([integer(1), integer(2)]))
  assert.equal(directoryString('system:nodes')[0], TAG.printableString)
  assert.equal(directoryString('a@b_c')[0], TAG.utf8String)
})

test('DER: readers throw on garbage, and never hang or crash', () => {
  const deep = Array.from({ length: 5_000 }).reduce<Buffer>((inner) => sequence(inner), Buffer.alloc(0))
  for (const bytes of [deep, randomBytes(2_000), Buffer.alloc(100_000, 0x30)]) {
    assert.throws(() => parseCertificate(bytes))
    assert.throws(() => parseCsrDer(bytes))
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      assert.throws(() => parseCertificate(Buffer.from(bytes)), DerError)
      assert.throws(() => parseCsrDer(Buffer.from(bytes)), DerError)
    }),
  )
})

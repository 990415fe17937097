import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatusError } from '@orrery/kinds/values'
import fc from 'fast-check'
import { parseJson } from './parse.js'

const parse = (text: string | Buffer) => parseJson(Buffer.from(text as string))

function refusal(text: string | Buffer): string {
  try {
    parseJson(typeof text === 'string' ? Buffer.from(text) : text)
  } catch (error) {
    assert.ok(error instanceof StatusError)
    assert.equal(error.code, 400)
    return error.message
  }
  return assert.fail('was accepted')
}

test('parseJson: returns any JSON value without duplicates', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      if (text.includes('__proto__') || /\d{16}/.test(text)) return
      const { value, duplicates } = parse(text)
      assert.deepEqual(value, JSON.parse(text))
      assert.deepEqual(duplicates, [])
    }),
  )
})

test('parseJson: reports duplicate keys with their paths', () => {
  assert.deepEqual(parse('{"a":1,"b":{"c":[{"d":1,"d":2}]},"a":2}').duplicates, ['b.c[0].d', 'a'])
  assert.deepEqual(parse('{"x" : {"\\u0061":1, "a":2}}').duplicates, ['x.a'])
})

test('parseJson: limits the number and length of duplicate paths', () => {
  const { duplicates } = parse(`{"${'k'.repeat(1_000_000)}":{${Array(100_000).fill('"a":1').join()}}}`)
  assert.equal(duplicates.length, 100)
  assert.ok(duplicates.every((path) => path.length < 5000))
})

test('parseJson: finds everything after a string of any length and content', () => {
  const unit = fc.constantFrom('b', '"', '\\', '{', ':', 'é')
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 200 }), fc.string({ unit, maxLength: 200 }), (one, two) => {
      const text = JSON.stringify(one)
      const key = JSON.stringify(two)
      assert.deepEqual(parse(`{"t":${text},"a":1,${key}:${text},"a":2}`).duplicates, ['a'])
    }),
  )
})

test('parseJson: refuses __proto__ in every spelling', () => {
  assert.match(refusal('{"metadata":{"__proto__":{"x":1}}}'), /metadata\.__proto__/)
  assert.match(refusal('{"\\u005f_proto__":{"x":1}}'), /__proto__/)
})

test('parseJson: refuses integers beyond 53 bits, but not exact ones and doubles', () => {
  assert.match(refusal('{"a":9007199254740993}'), /9007199254740993/)
  assert.deepEqual(parse('{"a":9007199254740992,"b":0.12345678901234567890,"c":"9007199254740993"}').duplicates, [])
})

test('parseJson: refuses garbage, invalid UTF-8 and extreme nesting', () => {
  refusal('{"a":')
  refusal('')
  assert.match(refusal(Buffer.from([0x22, 0xff, 0x22])), /UTF-8/)
  assert.match(refusal('['.repeat(100_000)), /depth/)
  assert.ok(parse(`${'['.repeat(1000)}${']'.repeat(1000)}`))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import fc from 'fast-check'
import { encodeObject } from '../registry/object-meta.js'
import { parseJson } from './parse.js'

const LONG = 'x'.repeat(300)

function parse(text: string) {
  const { value, verbatim } = parseJson(Buffer.from(text))
  return { object: value as KubeObject & { data: Record<string, string> }, verbatim }
}

function body(data: string, more = ''): string {
  return `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":${data}${more}}`
}

test('parseJson: keeps a long map of strings unchanged', () => {
  const { object, verbatim } = parse(body(`{"a":"${LONG}","b":"ü"}`))
  assert.equal(verbatim?.bytes.toString(), `"data":{"a":"${LONG}","b":"ü"}`)
  assert.deepEqual(verbatim.value, object.data)
})

for (const [what, data] of Object.entries({
  'a short map': '{"a":"x"}',
  'a map with space in it': `{"a": "${LONG}"}`,
  'a map with space around it': ` {"a":"${LONG}"}`,
  'an escape': `{"a":"${LONG}\\/"}`,
  'an escape in a key': `{"\\u0061":"${LONG}"}`,
  'a key that JavaScript puts first': `{"a":"${LONG}","1":"x"}`,
  'a number': `{"a":"${LONG}","b":1.0}`,
  'a null': `{"a":"${LONG}","b":null}`,
  'a map in a map': `{"a":"${LONG}","b":{"c":"d"}}`,
  'a list': `["${LONG}"]`,
  'a key twice': `{"a":"x","a":"${LONG}"}`,
})) {
  test(`parseJson: does not keep ${what} unchanged`, () => assert.equal(parse(body(data)).verbatim, undefined))
}

test('parseJson: does not keep a member with a numeric name unchanged', () => {
  assert.equal(parse(`{"metadata":{},"1":{"a":"${LONG}"}}`).verbatim, undefined)
})

test('isAsSent: detects changes', () => {
  const changes: ((data: Record<string, string>) => void)[] = [
    (data) => {
      data.a = 'changed'
    },
    (data) => {
      delete data.b
    },
    (data) => {
      data.c = 'added'
    },
    (data) => {
      const { a = '' } = data
      delete data.a
      data.a = a
    },
  ]
  for (const change of changes) {
    const { object, verbatim } = parse(body(`{"a":"${LONG}","b":"x"}`))
    assert.notEqual(verbatim, undefined)
    change(object.data)
    assert.equal(encodeObject(object, 7, verbatim).toString(), encodeObject(object, 7).toString())
  }
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.stringMatching(/^[ -~]{0,8}$/),
  { weight: 3, arbitrary: fc.constant(LONG) },
  fc.constant('"\\/\u2028\u007f'),
)
const key = fc
  .oneof(fc.stringMatching(/^[a-z._-]{1,8}$/), fc.stringMatching(/^\d{1,3}$/), text)
  .filter((name) => name !== '__proto__')
const texts = fc.dictionary(key, text, { noNullPrototype: true })
const members = fc.dictionary(
  fc.constantFrom('data', 'binaryData', 'immutable', 'spec', '1'),
  fc.oneof({ weight: 3, arbitrary: texts }, fc.constantFrom(null, 1.5, true, [LONG], { a: { b: LONG } })),
  { noNullPrototype: true },
)
const indent = fc.constantFrom(undefined, undefined, undefined, 1)

test('parseJson: stores the same bytes, whatever is kept unchanged', () => {
  let kept = 0
  fc.assert(
    fc.property(members, indent, fc.boolean(), (sent, space, escapes) => {
      const written = JSON.stringify(
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, ...sent },
        null,
        space,
      )
      const { object, verbatim } = parse(escapes ? written.replaceAll('x', '\\u0078') : written)
      if (verbatim !== undefined) kept++
      assert.equal(encodeObject(object, 7, verbatim).toString(), encodeObject(object, 7).toString())
    }),
    { numRuns: 1000 },
  )
  assert.ok(kept > 20, `only ${kept} bodies had anything to keep`)
})

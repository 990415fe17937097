import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../object.js'
import { StatusError } from '../values/index.js'
import { jsonPatch, MAX_COPIED_BYTES, MAX_OPERATIONS, unknownOperationFields } from './json-patch.js'

function statusOf(run: () => unknown): StatusError['status'] {
  try {
    run()
  } catch (error) {
    if (error instanceof StatusError) return error.status
    throw error
  }
  throw new Error('nothing was thrown')
}

const DOCUMENT: JsonObject = { a: { b: 'x', n: null }, l: [1, 2, 3], 's/t': { '~': 1 } }

describe('jsonPatch: applies operations', () => {
  const cases: [string, JsonObject[], (document: JsonObject) => JsonValue][] = [
    ['adds a member', [{ op: 'add', path: '/a/c', value: 1 }], (d) => ({ ...d, a: { b: 'x', n: null, c: 1 } })],
    ['adds over a member', [{ op: 'add', path: '/a', value: 1 }], (d) => ({ ...d, a: 1 })],
    ['adds nothing as null', [{ op: 'add', path: '/z' }], (d) => ({ ...d, z: null })],
    ['inserts', [{ op: 'add', path: '/l/1', value: 9 }], (d) => ({ ...d, l: [1, 9, 2, 3] })],
    ['appends', [{ op: 'add', path: '/l/-', value: 9 }], (d) => ({ ...d, l: [1, 2, 3, 9] })],
    ['appends by index', [{ op: 'add', path: '/l/3', value: 9 }], (d) => ({ ...d, l: [1, 2, 3, 9] })],
    ['counts from the end', [{ op: 'add', path: '/l/-1', value: 9 }], (d) => ({ ...d, l: [1, 2, 3, 9] })],
    [
      'removes',
      [
        { op: 'remove', path: '/l/0' },
        { op: 'remove', path: '/a/b' },
      ],
      (d) => ({ ...d, l: [2, 3], a: { n: null } }),
    ],
    ['removes from the end', [{ op: 'remove', path: '/l/-1' }], (d) => ({ ...d, l: [1, 2] })],
    ['replaces', [{ op: 'replace', path: '/l/2', value: 9 }], (d) => ({ ...d, l: [1, 2, 9] })],
    [
      'replaces what is missing',
      [{ op: 'replace', path: '/a/c', value: 1 }],
      (d) => ({ ...d, a: { b: 'x', n: null, c: 1 } }),
    ],
    ['replaces the document', [{ op: 'replace', path: '', value: { z: 1 } }], () => ({ z: 1 })],
    ['moves', [{ op: 'move', from: '/a/b', path: '/l/0' }], (d) => ({ ...d, a: { n: null }, l: ['x', 1, 2, 3] })],
    [
      'copies',
      [
        { op: 'copy', from: '/a', path: '/c' },
        { op: 'add', path: '/c/d', value: 1 },
      ],
      (d) => ({ ...d, c: { b: 'x', n: null, d: 1 } }),
    ],
    ['copies what is missing as null', [{ op: 'copy', from: '/q', path: '/c' }], (d) => ({ ...d, c: null })],
    ['tests', [{ op: 'test', path: '/a', value: { n: null, b: 'x' } }], (d) => d],
    ['tests the document', [{ op: 'test', path: '', value: structuredClone(DOCUMENT) }], (d) => d],
    [
      'tests that something is missing',
      [
        { op: 'test', path: '/q', value: null },
        { op: 'test', path: '/a/n' },
      ],
      (d) => d,
    ],
    ['unescapes', [{ op: 'add', path: '/s~1t/~0', value: 2 }], (d) => ({ ...d, 's/t': { '~': 2 } })],
    ['ignores what is before the first slash', [{ op: 'add', path: 'x/z', value: 2 }], (d) => ({ ...d, z: 2 })],
  ]
  for (const [what, operations, expected] of cases) {
    test(what, () => {
      const before = JSON.stringify(DOCUMENT)
      assert.deepEqual(jsonPatch(DOCUMENT, operations), expected(DOCUMENT))
      assert.equal(JSON.stringify(DOCUMENT), before)
    })
  }

  const failing: [string, JsonObject | null][] = [
    ['a missing parent', { op: 'add', path: '/q/r', value: 1 }],
    ['a parent that is text', { op: 'add', path: '/a/b/c', value: 1 }],
    ['an index past the end', { op: 'add', path: '/l/4', value: 1 }],
    ['an index that is no number', { op: 'remove', path: '/l/x' }],
    ['an index of another language', { op: 'add', path: '/l/1e0', value: 1 }],
    ['removing what is missing', { op: 'remove', path: '/q' }],
    ['moving what is missing', { op: 'move', from: '/q', path: '/z' }],
    ['moving something into itself', { op: 'move', from: '/a', path: '/a/b' }],
    ['a test that fails', { op: 'test', path: '/a/b', value: 'y' }],
    ['an unknown operation', { op: 'merge', path: '/a' }],
    ['no operation', { path: '/a' }],
    ['no path', { op: 'add', value: 1 }],
    ['an empty path', { op: 'add', path: '', value: 1 }],
    ['a document that is text', { op: 'replace', path: '', value: 'x' }],
    ['nothing at all', null],
  ]
  for (const [what, operation] of failing) {
    test(`jsonPatch: returns 422 without a reason for ${what}`, () => {
      const status = statusOf(() => jsonPatch(DOCUMENT, [operation]))
      assert.equal(status.code, 422)
      assert.equal(status.reason, 'Invalid')
      assert.equal(status.message, 'the server rejected our request due to an error in our request')
    })
  }

  const malformed: [string, JsonValue, string][] = [
    ['an object', {}, 'cannot unmarshal object into Go value of type []handlers.jsonPatchOp'],
    ['text for an operation', ['x'], 'cannot unmarshal string into Go value of type handlers.jsonPatchOp'],
    [
      'a number for a path',
      [{ op: 'add', path: 1 }],
      'cannot unmarshal number into Go struct field jsonPatchOp.path of type string',
    ],
  ]
  for (const [what, operations, message] of malformed) {
    test(`jsonPatch: returns 400 for ${what}`, () => {
      const status = statusOf(() => jsonPatch(DOCUMENT, operations))
      assert.equal(status.code, 400)
      assert.equal(status.message, `error decoding patch: json: ${message}`)
    })
  }

  test('jsonPatch: returns 413 for too many operations', () => {
    const operations = Array.from({ length: MAX_OPERATIONS + 1 }, () => ({ op: 'test', path: '/q' }))
    const status = statusOf(() => jsonPatch(DOCUMENT, operations))
    assert.equal(status.code, 413)
    assert.equal(
      status.message,
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    )
    assert.doesNotThrow(() => jsonPatch(DOCUMENT, operations.slice(1)))
  })

  test('jsonPatch: limits the bytes that copies add', () => {
    const big = { big: 'x'.repeat(MAX_COPIED_BYTES / 2) }
    const copy = (path: string) => ({ op: 'copy', from: '/big', path })
    assert.doesNotThrow(() => jsonPatch(big, [copy('/a')]))
    assert.equal(statusOf(() => jsonPatch(big, [copy('/a'), copy('/b')])).code, 422)
  })

  test('jsonPatch: shares unchanged values with the input', () => {
    const patched = jsonPatch(DOCUMENT, [{ op: 'add', path: '/a/c', value: 1 }]) as JsonObject
    assert.equal(patched.l, DOCUMENT.l)
  })

  test('jsonPatch: treats names such as __proto__ as ordinary names', () => {
    const patched = jsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]) as JsonObject
    assert.equal(JSON.stringify(patched), '{"__proto__":{"polluted":true}}')
    assert.equal(({} as JsonObject).polluted, undefined)
    assert.equal(statusOf(() => jsonPatch({}, [{ op: 'add', path: '/constructor/x', value: 1 }])).code, 422)
  })

  test('unknownOperationFields: finds unknown members of operations for strict validation', () => {
    assert.deepEqual(unknownOperationFields([{ op: 'add', path: '/a', foo: 1 }]), [
      'json patch unknown field "[0].foo"',
    ])
  })

  test('jsonPatch: restores the document after an addition and its removal', () => {
    const name = fc.stringMatching(/^[a-z~/]{1,5}$/)
    fc.assert(
      fc.property(
        fc.dictionary(name, fc.jsonValue(), { noNullPrototype: true }),
        name,
        fc.jsonValue(),
        (document, key, value) => {
          fc.pre(!Object.hasOwn(document, key))
          const path = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
          const operations = [
            { op: 'add', path, value: value as JsonValue },
            { op: 'test', path, value: value as JsonValue },
            { op: 'remove', path },
          ]
          assert.deepEqual(jsonPatch(document as JsonObject, operations), document)
        },
      ),
      { numRuns: 100 },
    )
  })
})

test('jsonPatch: limits the depth of the result like that of a body', () => {
  const nested = (depth: number): JsonValue => (depth === 0 ? 1 : { a: nested(depth - 1) })
  const document = { spec: nested(900) } as JsonObject
  const below = `/spec${'/a'.repeat(900)}`
  const refused = { code: 400, message: 'json: exceeded max depth of 1000' }
  assert.throws(() => jsonPatch(document, [{ op: 'copy', from: '/spec', path: below }]), refused)
  assert.throws(() => jsonPatch(document, [{ op: 'add', path: below, value: nested(200) }]), refused)
  assert.ok(jsonPatch(document, [{ op: 'add', path: below, value: nested(50) }]))
})

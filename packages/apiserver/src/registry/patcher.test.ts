import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseApplyBody } from './patcher.js'

test('parseApplyBody: parses YAML, even if it looks like JSON', () => {
  const lenient = '{\n\t"kind": "Pod", # a comment\n\t"spec": {"a": [1,], "b": true,},\n}'
  assert.deepEqual(parseApplyBody(Buffer.from(lenient)).value, { kind: 'Pod', spec: { a: [1], b: true } })
  assert.deepEqual(parseApplyBody(Buffer.from('{"a": 1, "a": 2}')).repeats, ['line 1: key "a" already set in map'])
  assert.throws(() => parseApplyBody(Buffer.from('{"a": ]')), /error decoding YAML/)
})

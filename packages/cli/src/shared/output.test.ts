import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { formatDocument } from './output.js'

test('formatDocument: escapes characters that terminals act on, and keeps the value', async () => {
  const document = { text: 'a\u009b31m\u202eb', plain: 'c', list: ['\u2066'] }
  for (const output of ['json', 'yaml'] as const) {
    const text = await formatDocument(output, document)
    assert.doesNotMatch(text, /[\u007f-\u009f\u202e\u2066]/)
    assert.deepEqual(output === 'json' ? JSON.parse(text) : parse(text, { version: '1.1' }), document)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../object.js'
import { compileJsonTemplate, joinTexts, splitTemplate, ValueError } from './json-template.js'

/** `{{}}` is the value. */
const compileText = (text: string) => {
  const parts = splitTemplate(text, (_, start) => ({ expression: { isValue: true }, end: start + 2 }))
  return parts && ((value: string) => joinTexts(parts.map((part) => (typeof part === 'string' ? part : value))))
}

test('compileJsonTemplate: renders texts and names of fields, and shares the rest', () => {
  const same = { a: ['b'] }
  const render = compileJsonTemplate({ '{{}}-key': 'x-{{}}', same }, 'object', compileText, { keys: true })
  const rendered = render?.('v') as JsonObject
  assert.deepEqual(rendered, { 'v-key': 'x-v', same: { a: ['b'] } })
  assert.equal(rendered.same, same)
  assert.equal(compileJsonTemplate(same, 'object', compileText), undefined)
})

test('compileJsonTemplate: refuses to render more than a work can have, in one text or in many', () => {
  const value = 'x'.repeat(1024)
  const inOne = compileJsonTemplate({ data: '{{}}'.repeat(4_097) }, 'spec', compileText)
  const long = { name: 'Error', message: /^spec\.data: the template renders to more than 4194304 characters/ }
  assert.throws(() => inOne?.(value), long)
  const inMany = compileJsonTemplate({ data: Array.from({ length: 4_097 }, () => '{{}}') }, 'spec', compileText)
  assert.throws(() => inMany?.(value), ValueError)
  // The texts of one rendering count, not those of all.
  for (let times = 0; times < 10; times++) assert.ok(inMany?.('x'.repeat(1_000)))
})

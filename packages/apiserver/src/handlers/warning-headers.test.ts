import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReplyHeaders } from '../http/exchange.js'
import { WarningHeaders } from './warning-headers.js'

function warn(...messages: string[]): readonly string[] {
  const extraHeaders: ReplyHeaders = {}
  const warnings = new WarningHeaders({ extraHeaders })
  for (const message of messages) warnings.push(message)
  return (extraHeaders.Warning ?? []) as string[]
}

test('WarningHeaders: adds each warning once as a header', () => {
  assert.deepEqual(warn('a "quoted" one', 'b\nc', 'b\nc', ''), ['299 - "a \\"quoted\\" one"', '299 - "b c"'])
})

test('WarningHeaders: truncates long warnings only if their total is too long', () => {
  assert.equal(warn('x'.repeat(1000))[0]?.length, 1000 + '299 - ""'.length)
  const many = warn(...Array.from({ length: 10 }, (_, index) => `${index}${'x'.repeat(999)}`))
  assert.equal(many.length, 10)
  assert.ok(many.every((header) => header.length === 256 + '299 - ""'.length))
})

test('WarningHeaders: limits the total', () => {
  const many = warn(...Array.from({ length: 100_000 }, (_, index) => `warning ${index}`))
  assert.ok(many.join('').length < 10_000)
})

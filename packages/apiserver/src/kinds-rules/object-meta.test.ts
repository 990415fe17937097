import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldError } from '@orrery/kinds/values'
import { checkFieldManager } from './object-meta.js'

function errorsOf(manager: string): FieldError[] {
  const errors: FieldError[] = []
  checkFieldManager(manager, 'fieldManager', errors)
  return errors
}

test('checkFieldManager: reports each unprintable character with its position', () => {
  const errors = errorsOf('a\u0001é\u0002')
  assert.deepEqual(
    errors.map(({ body }) => body.replace(/^.*: /, '')),
    ['invalid character U+0001 (at position 1)', 'invalid character U+0002 (at position 4)'],
  )
})

test('checkFieldManager: does not report each character of a name that is too long', () => {
  const errors = errorsOf('\u0001'.repeat(100_000))
  assert.equal(errors[0]?.reason, 'FieldValueTooLong')
  assert.ok(errors.length <= 129, `${errors.length} errors`)
})

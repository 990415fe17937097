import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  childPath,
  collectFieldErrors,
  type FieldError,
  fieldInvalid,
  fieldRequired,
  indexPath,
  keyPath,
  MAX_FIELD_ERRORS,
} from './field-error.js'
import { invalid } from './status.js'

test('fieldError: shortens a long value, however it is quoted', () => {
  for (const value of ['x'.repeat(5000), '\u0001'.repeat(5000), '😀'.repeat(5000), `x${'😀'.repeat(5000)}`]) {
    const { body } = fieldInvalid('metadata.name', value, 'no')
    assert.equal(body, `Invalid value: ${JSON.stringify(value).slice(0, 4096)}...: no`)
  }
  assert.equal(fieldInvalid('metadata.name', 'x', 'no').body, 'Invalid value: "x": no')
  const longest = 'x'.repeat(4094)
  assert.equal(fieldInvalid('metadata.name', longest, 'no').body, `Invalid value: "${longest}": no`)
})

test('collectFieldErrors: stops the checks at the limit', () => {
  let looked = 0
  const errors = collectFieldErrors((errors) => {
    for (looked = 0; looked < 1_000_000; looked++) errors.push(fieldRequired(indexPath('spec.items', looked)))
  })
  assert.equal(errors.length, MAX_FIELD_ERRORS)
  assert.ok(looked < MAX_FIELD_ERRORS)
  const { message } = invalid({ group: '', kind: 'Pod' }, 'a', errors)
  assert.match(message, /spec\.items\[499\]: Required value, and at least 1500 more errors\]$/)
})

test('collectFieldErrors: a full list ends its own checks, not those of a nested list', () => {
  const inner = (outer: FieldError[]) =>
    collectFieldErrors(() => {
      for (;;) outer.push(fieldRequired('spec'))
    })
  let returned = false
  const errors = collectFieldErrors((errors) => {
    inner(errors)
    returned = true
  })
  assert.equal(errors.length, MAX_FIELD_ERRORS)
  assert.equal(returned, false)
  assert.throws(
    () =>
      collectFieldErrors(() => {
        throw new RangeError('another failure')
      }),
    RangeError,
  )
})

test('keyPath: shortens a long key, so that many errors below it stay small', () => {
  const long = keyPath('spec.items', 'x'.repeat(3_000_000))
  assert.ok(long.length < 5000, `${long.length}`)
  assert.equal(childPath(indexPath(long, 3), 'name'), long)
  assert.equal(keyPath('metadata.labels', 'a/b'), 'metadata.labels[a/b]')
  const errors = Array.from({ length: 500 }, (_, i) => fieldRequired(childPath(keyPath(long, `${i}`), 'name')))
  const { status } = invalid({ group: '', kind: 'Pod' }, 'a', errors)
  assert.ok(JSON.stringify(status).length < 1024 * 1024)
})

test('fieldError: shortens a long explanation in a response', () => {
  const error = { reason: 'FieldValueForbidden', field: 'spec', body: 'x'.repeat(8_000_000) } as const
  const { status } = invalid({ group: '', kind: 'Pod' }, 'a', [error])
  assert.ok(JSON.stringify(status).length < 1024 * 1024)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldInvalid } from './fielderror.js'

test('a field error: a long value is shown up to a limit, however it is quoted', () => {
  for (const value of ['x'.repeat(5000), '\u0001'.repeat(5000), '😀'.repeat(5000), `x${'😀'.repeat(5000)}`]) {
    const { body } = fieldInvalid('metadata.name', value, 'no')
    assert.equal(body, `Invalid value: ${JSON.stringify(value).slice(0, 4096)}...: no`)
  }
  assert.equal(fieldInvalid('metadata.name', 'x', 'no').body, 'Invalid value: "x": no')
  const longest = 'x'.repeat(4094)
  assert.equal(fieldInvalid('metadata.name', longest, 'no').body, `Invalid value: "${longest}": no`)
})

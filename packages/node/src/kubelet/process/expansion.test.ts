import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expand } from './expansion.js'

test('expand: replaces variables and keeps unknown references', () => {
  const values = new Map([
    ['A', 'one'],
    ['B', '$(A)'],
  ])
  const expanded = (text: string) => expand(text, (name) => values.get(name))
  assert.equal(expanded('x$(A)y$(A)'), 'xoneyone')
  assert.equal(expanded('$(B)'), '$(A)')
  assert.equal(expanded('$$(A) $(C) $A $ $('), '$(A) $(C) $A $ $(')
  assert.equal(expanded('$$$(A)'), '$one')
})

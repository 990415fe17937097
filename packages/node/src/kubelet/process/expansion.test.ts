import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ByteBudget } from '../downward-api/byte-budget.js'
import { expand } from './expansion.js'

const budgetOf = (bytes: number) => new ByteBudget(bytes, () => new Error('too large'))

test('expand: replaces variables and keeps unknown references', () => {
  const values = new Map([
    ['A', 'one'],
    ['B', '$(A)'],
  ])
  const expanded = (text: string) => expand(text, (name) => values.get(name), budgetOf(1_000))
  assert.equal(expanded('x$(A)y$(A)'), 'xoneyone')
  assert.equal(expanded('$(B)'), '$(A)')
  assert.equal(expanded('$$(A) $(C) $A $ $('), '$(A) $(C) $A $ $(')
  assert.equal(expanded('$$$(A)'), '$one')
  assert.equal(expanded('$($(A)$(A)'), '$($(A)one')
})

test('expand: time grows with the text, also when parentheses are not closed', () => {
  const open = '$('.repeat(1_000_000)
  const started = process.cpuUsage().user
  assert.equal(
    expand(open, () => 'x', budgetOf(10_000_000)),
    open,
  )
  assert.equal(
    expand(`)${open}`, () => 'x', budgetOf(10_000_000)),
    `)${open}`,
  )
  assert.ok(process.cpuUsage().user - started < 5_000_000)
})

test('expand: refuses a result that exceeds the budget before it is allocated', () => {
  const value = 'x'.repeat(1_000)
  assert.throws(() => expand('$(A)'.repeat(1_000), () => value, budgetOf(500_000)), /too large/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelBudget } from './budget.js'
import { compile, type Program } from './compile.js'

function program(source: string): Program {
  const compilation = compile(source, { variables: {} })
  assert.ok(compilation.ok)
  return compilation.program
}

const list = program('[1, 2, 3].all(x, x > 0)')
const { cost } = list.evaluate({})

test('CelBudget: evaluation uses it up', () => {
  const budget = new CelBudget(2 * cost + 1)
  assert.equal(budget.evaluate(list, {}), true)
  assert.equal(budget.evaluate(list, {}), true)
  assert.equal(budget.spent, 2 * cost)
  assert.throws(() => budget.evaluate(list, {}), { message: 'CEL evaluation budget exceeded' })
})

test('CelBudget: evaluation errors use it up', () => {
  const failing = program('[1, 2, 3].all(x, x > 0) && [1, 2, 3][int("7")] > 0')
  const budget = new CelBudget(2 * cost)
  assert.throws(() => budget.evaluate(failing, {}), /index out of bounds/)
  assert.throws(() => budget.evaluate(list, {}), { message: 'CEL evaluation budget exceeded' })
})

test('CelBudget: compilation uses it up', () => {
  const budget = new CelBudget(10_000)
  budget.compile('x'.repeat(100))
  assert.throws(() => budget.compile('x'.repeat(100)), { message: 'CEL evaluation budget exceeded' })
})

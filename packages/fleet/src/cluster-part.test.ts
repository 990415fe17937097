import assert from 'node:assert/strict'
import test from 'node:test'
import type { Agent } from '@orrery/agent'
import { reportProblems } from './cluster-part.js'

test('what keeps an agent from joining is told once it lasts, and once it is over', () => {
  const told: (string | undefined)[] = []
  const look = reportProblems((detail) => told.push(detail))
  const state = (problem?: string): Agent['state'] => ({
    phase: 'bootstrapping',
    hub: 'https://hub',
    ...(problem !== undefined && { problem }),
  })
  for (const problem of [undefined, 'passing', undefined, 'lasting', 'lasting', 'lasting', undefined, undefined]) {
    look(state(problem))
  }
  assert.deepEqual(told, ['lasting', undefined])
})

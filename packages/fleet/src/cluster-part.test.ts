import assert from 'node:assert/strict'
import test from 'node:test'
import type { Agent } from '@orrery/agent'
import { reportProblems } from './cluster-part.js'

test('tellTroubles: reports a problem when it lasts, and when it is over', () => {
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

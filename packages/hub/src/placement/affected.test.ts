import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAffected } from './affected.js'
import { cluster, compiled, type SpecDraft, state } from './scheduling/scheduling.fixture.js'

const byEnv = { predicates: [{ requiredClusterSelector: { labelSelector: { matchLabels: { env: 'prod' } } } }] }
const byCpu = {
  prioritizerPolicy: {
    configurations: [{ scoreCoordinate: { type: 'BuiltIn', builtIn: 'ResourceAllocatableCPU' }, weight: 1 }],
  },
}
const prod = (cpu: string) => ({ labels: { env: 'prod' }, cpu })

/** Whether a placement is affected when c1 stops to match, with two other clusters. */
function isAffectedByLeaving(spec: SpecDraft, cpu: readonly [string, string, string], ...decided: string[]): boolean {
  const before = cluster('c1', prod(cpu[0]))
  const after = cluster('c1', { labels: { env: 'dev' }, cpu: cpu[0] })
  const change = {
    before,
    after,
    hasMoved: false,
    sets: ['prod'],
    fields: { labels: true, taints: false, cpu: false, memory: false },
  }
  const candidates = [after, cluster('c2', prod(cpu[1])), cluster('c3', prod(cpu[2]))]
  return isAffected(compiled(spec), change, { state: () => state({ decided }), candidates: () => candidates })
}

test('isAffected: a cluster that leaves affects the placements that selected it', () => {
  assert.equal(isAffectedByLeaving(byEnv, ['1', '1', '1'], 'c1'), true)
  assert.equal(isAffectedByLeaving(byEnv, ['1', '1', '1'], 'c2'), false)
  assert.equal(isAffectedByLeaving({}, ['1', '1', '1'], 'c2'), false)
})

test('isAffected: a cluster that leaves affects others if its CPU sets the scale of scores', () => {
  const spec = { ...byEnv, ...byCpu }
  assert.equal(isAffectedByLeaving(spec, ['2', '1', '3'], 'c2'), false)
  assert.equal(isAffectedByLeaving(spec, ['3', '1', '3'], 'c2'), false)
  assert.equal(isAffectedByLeaving(spec, ['4', '1', '3'], 'c2'), true)
  assert.equal(isAffectedByLeaving(spec, ['0', '1', '3'], 'c2'), true)
})

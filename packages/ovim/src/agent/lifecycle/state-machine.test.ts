import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AGENT_STATES, type AgentState } from '../../wire/index.js'
import { type Conditions, nextState, reportedStatus, transitions } from './state-machine.js'

const conditions: fc.Arbitrary<Conditions> = fc
  .record({
    hub: fc.constantFrom('registered' as const, 'lost' as const, 'retrying' as const),
    failing: fc.nat(4),
    criticalShare: fc.nat(4),
  })
  .map(({ hub, failing, criticalShare }) => ({ hub, failing, failingCritical: Math.min(failing, criticalShare) }))

const FINE: Conditions = { hub: 'registered', failing: 0, failingCritical: 0 }
const LOST: Conditions = { ...FINE, hub: 'lost' }
const ONE_FAILED: Conditions = { ...FINE, failing: 1 }
const TWO_FAILED: Conditions = { ...FINE, failing: 2 }

const cases: readonly (readonly [AgentState, AgentState, Conditions, string])[] = [
  ['Connecting', 'Healthy', FINE, 'the hub registers the agent'],
  ['Healthy', 'Degraded', ONE_FAILED, 'a component fails'],
  ['Degraded', 'Unhealthy', TWO_FAILED, 'several components fail'],
  ['Degraded', 'Unhealthy', { ...ONE_FAILED, failingCritical: 1 }, 'a critical component fails'],
  ['Healthy', 'Disconnected', LOST, 'the hub is lost'],
  ['Degraded', 'Disconnected', { ...ONE_FAILED, hub: 'lost' }, 'the hub is lost'],
  ['Disconnected', 'Connecting', { ...FINE, hub: 'retrying' }, 'the agent tries again'],
  ['Connecting', 'Disconnected', LOST, 'the hub cannot be reached'],
  ['Degraded', 'Healthy', FINE, 'all components work again'],
  ['Unhealthy', 'Degraded', ONE_FAILED, 'all but one component work again'],
  ['Unhealthy', 'Unhealthy', { ...TWO_FAILED, hub: 'lost' }, 'the hub is lost too'],
]
for (const [from, to, when, why] of cases) {
  test(`agent state: ${from} becomes ${to} when ${why}`, () => {
    assert.equal(nextState(from, when), to)
  })
}

const EDGES = new Set(cases.filter(([from, to]) => from !== to).map(([from, to]) => `${from}>${to}`))

test('agent state: only the documented transitions happen, and they end', () => {
  fc.assert(
    fc.property(fc.constantFrom(...AGENT_STATES), fc.array(conditions, { maxLength: 30 }), (start, history) => {
      let state = start
      for (const current of history) {
        const path = transitions(state, current)
        assert.ok(path.length <= AGENT_STATES.length)
        for (const next of path) {
          assert.ok(EDGES.has(`${state}>${next}`), `${state} to ${next}`)
          state = next
        }
      }
    }),
  )
})

test('agent state: with a hub, the state follows from the components alone', () => {
  fc.assert(
    fc.property(fc.constantFrom(...AGENT_STATES), conditions, (start, current) => {
      const path = transitions(start, { ...current, hub: 'registered' })
      const end = path.at(-1) ?? start
      const isUnhealthy = current.failing >= 2 || current.failingCritical > 0
      assert.equal(end, isUnhealthy ? 'Unhealthy' : current.failing === 1 ? 'Degraded' : 'Healthy')
    }),
  )
})

test('agent state: a report has the short form of the state', () => {
  const reported = AGENT_STATES.map((state) => [state, reportedStatus(state)])
  assert.deepEqual(Object.fromEntries(reported), {
    Connecting: 'degraded',
    Healthy: 'healthy',
    Degraded: 'degraded',
    Unhealthy: 'unavailable',
    Disconnected: 'degraded',
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ManagedClusterAddOn } from '@orrery/api'
import type { Lease } from '@orrery/kinds'
import { formatMicroTime } from '@orrery/kinds/values'
import { leaseFinding, problemFindings } from './lease-finding.js'

const NOW = new Date('2026-03-01T12:00:00Z')
const secondsAgo = (seconds: number) => new Date(NOW.getTime() - seconds * 1_000)

function lease(renewed: Date | undefined, leaseDurationSeconds?: number): Lease {
  const spec = {
    ...(renewed !== undefined && { renewTime: formatMicroTime(renewed) }),
    ...(leaseDurationSeconds !== undefined && { leaseDurationSeconds }),
  }
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'hello' }, spec } as unknown as Lease
}

const NOT_FOUND = ['Unknown', 'ManagedClusterAddOnLeaseNotFound', 'The status of hello add-on is unknown.'] as const
const UPDATED = ['True', 'ManagedClusterAddOnLeaseUpdated', 'hello add-on is available.'] as const
const STOPPED = ['False', 'ManagedClusterAddOnLeaseUpdateStopped', 'hello add-on is not available.'] as const

const cases: readonly [what: string, Lease | undefined, readonly [string, string, string], until?: Date][] = [
  ['is missing', undefined, NOT_FOUND],
  ['was just renewed', lease(NOW, 60), UPDATED, new Date(NOW.getTime() + 300_000)],
  ['was renewed 299 s ago', lease(secondsAgo(299), 60), UPDATED, new Date(NOW.getTime() + 1_000)],
  ['was renewed 300 s ago', lease(secondsAgo(300), 60), STOPPED],
  ['has no duration', lease(secondsAgo(299)), UPDATED, new Date(NOW.getTime() + 1_000)],
  ['has a shorter duration', lease(secondsAgo(50), 10), STOPPED],
  ['was never renewed', lease(undefined, 60), STOPPED],
]

for (const [what, found, [status, reason, message], until] of cases) {
  test(`leaseFinding: ${reason} if the lease ${what}`, () => {
    const expected = { finding: { type: 'Available', status, reason, message }, until }
    assert.deepEqual(leaseFinding('hello', found, '', NOW), expected)
  })
}

test('leaseFinding: names the hosting cluster of a hosted add-on without a lease', () => {
  const { finding } = leaseFinding('hello', undefined, 'hosting1', NOW)
  assert.equal(
    finding.message,
    'The status of hello add-on is unknown. No lease found on hosting cluster "hosting1"; verify it matches the cluster where ' +
      "this managed cluster's klusterlet actually runs.",
  )
})

const DENIED = 'the hub denies requests of the agent: configmaps is forbidden'

function withProblem(problem?: string): Lease {
  const annotations = problem === undefined ? {} : { 'addon.orrery.dev/problem': problem }
  return { metadata: { name: 'hello', annotations } } as unknown as Lease
}

function degraded(reason?: string): ManagedClusterAddOn {
  const conditions = reason === undefined ? [] : [{ type: 'Degraded', status: 'True', reason, message: '' }]
  return { metadata: { name: 'hello' }, status: { conditions } } as unknown as ManagedClusterAddOn
}

for (const [what, addon, found, expected] of [
  ['nothing without a lease', degraded(), undefined, []],
  ['nothing if there is no problem', degraded(), withProblem(), []],
  ['the problem of the agent', degraded(), withProblem(DENIED), ['True AgentReportedProblem']],
  ['the end of a problem', degraded('AgentReportedProblem'), withProblem(), ['False AgentReportedNoProblem']],
  ['another problem', degraded('AgentReportedNoProblem'), withProblem(DENIED), ['True AgentReportedProblem']],
  ['the end with the lease', degraded('AgentReportedProblem'), undefined, ['False AgentReportedNoProblem']],
  ['nothing if the add-on sets Degraded itself', degraded('DiskFull'), withProblem(DENIED), []],
] as const) {
  test(`problemFindings: reports ${what}`, () => {
    const findings = problemFindings(addon, found)
    assert.deepEqual(
      findings.map(({ status, reason }) => `${status} ${reason}`),
      expected,
    )
    for (const { status, message } of findings) assert.equal(status === 'True', message === DENIED)
  })
}

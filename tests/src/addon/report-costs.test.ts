import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reportClaim, reportCondition, reportConfigMap, reportScore } from '@orrery/addon/agent'
import { type ReportingAgent, startReportingAgent } from './report-agent.js'

const REPORTS = {
  configMap: ({ agent }: ReportingAgent) =>
    reportConfigMap(agent, { name: 'pod-report', data: (timestamp) => ({ report: { timestamp, totalPods: 3 } }) }),
  condition: ({ agent }: ReportingAgent) =>
    reportCondition(agent, { type: 'PodCountHealthy', status: 'True', reason: 'PodCountWithinLimit' }),
  score: ({ agent }: ReportingAgent) => reportScore(agent, { name: 'basic-addon-score', scores: { podCount: 97 } }),
  claim: ({ agent }: ReportingAgent) => reportClaim(agent, { name: 'basic-addon.k8s-version', value: 'v1.34.0' }),
}

/** Reads and writes in an hour of reports, one each minute, in which nothing changes. As in the README of @orrery/addon. */
const PER_HOUR = {
  configMap: { reads: 24, writes: 12 },
  condition: { reads: 12, writes: 0 },
  score: { reads: 10, writes: 20 },
  claim: { reads: 12, writes: 2 },
}

test('reports: cost few requests while nothing changes', async (t) => {
  const reporting = await startReportingAgent(t)
  const costs: Record<string, { reads: number; writes: number }> = {}
  for (const [name, report] of Object.entries(REPORTS)) {
    await report(reporting)
    reporting.requests()
    for (let minute = 0; minute < 60; minute++) {
      reporting.clock.advance(60_000)
      await report(reporting)
    }
    const sent = reporting.requests()
    const reads = sent.filter((request) => request.startsWith('GET ')).length
    costs[name] = { reads, writes: sent.length - reads }
  }
  assert.deepEqual(costs, PER_HOUR)
})

test('reports: fail while the hub is unreachable or forbids them, and recover by themselves', async (t) => {
  const reporting = await startReportingAgent(t)
  const { agent, clock } = reporting
  const score = (podCount: number) => reportScore(agent, { name: 'basic-addon-score', scores: { podCount } })
  await score(1)
  reporting.before = () => Promise.reject(new Error('connection refused'))
  clock.advance(600_000)
  for (const report of Object.values(REPORTS)) await assert.rejects(report(reporting), /connection refused/)
  reporting.before = () => Promise.resolve()
  for (const report of Object.values(REPORTS)) assert.equal((await report(reporting)).written, true)
  const refused = { ...agent, hub: reporting.server.client({ identity: NOBODY }) }
  await assert.rejects(reportConfigMap(refused, { name: 'other', data: {} }), /forbidden/)
})

const NOBODY = { username: 'nobody', uid: '', groups: ['system:authenticated'], extra: {} }

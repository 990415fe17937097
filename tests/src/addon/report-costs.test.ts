import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { reportClaim, reportCondition, reportConfigMap, reportScore } from '@orrery/addon/agent'
import { type ReportingAgent, startReportingAgent } from './report-agent.js'

const REPORTS = {
  ConfigMap: ({ agent }: ReportingAgent, pods = 3) =>
    reportConfigMap(agent, { name: 'pod-report', data: (timestamp) => ({ report: { timestamp, totalPods: pods } }) }),
  condition: ({ agent }: ReportingAgent, pods = 3) =>
    reportCondition(agent, { type: 'PodCountHealthy', status: pods > 3 ? 'False' : 'True', reason: 'PodCount' }),
  score: ({ agent }: ReportingAgent, pods = 3) =>
    reportScore(agent, { name: 'basic-addon-score', scores: { podCount: 100 - pods } }),
  claim: ({ agent }: ReportingAgent, pods = 3) => reportClaim(agent, { name: 'basic-addon.pods', value: `${pods}` }),
}

interface Cost {
  readonly reads: number
  readonly writes: number
}

/** Reads and writes since the last call. */
function costOf(reporting: ReportingAgent): Cost {
  const sent = reporting.requests()
  const reads = sent.filter((request) => request.startsWith('GET ')).length
  return { reads, writes: sent.length - reads }
}

test('reports: cost few requests while nothing changes and for a change, as the documentation shows', async (t) => {
  const reporting = await startReportingAgent(t)
  const hours = new Map<string, Cost>()
  const changes = new Map<string, Cost>()
  for (const [name, report] of Object.entries(REPORTS)) {
    await report(reporting)
    costOf(reporting)
    for (let minute = 0; minute < 60; minute++) {
      reporting.clock.advance(60_000)
      await report(reporting)
    }
    hours.set(name, costOf(reporting))
    await report(reporting, 4)
    changes.set(name, costOf(reporting))
  }
  assert.deepEqual(Object.fromEntries(hours), {
    ConfigMap: { reads: 24, writes: 12 },
    condition: { reads: 12, writes: 0 },
    score: { reads: 10, writes: 20 },
    claim: { reads: 12, writes: 2 },
  })
  const guide = await textOf('docs/tasks/report-to-the-hub.md')
  const readme = await textOf('packages/addon/README.md')
  for (const [name, { reads, writes }] of hours) {
    const [hour, change] = [hours.get(name), changes.get(name)].map(shown)
    const row = guide.split('\n').find((line) => line.startsWith(`| [${name}]`)) ?? ''
    assert.ok(row.includes(` | ${hour} | ${change} | `), `${hour} and ${change}: ${row}`)
    const helper = `\`report${name[0]?.toUpperCase()}${name.slice(1)}\``
    const inReadme = readme.split('\n').find((line) => line.startsWith(`| ${helper}`) && /\| \d+ \|/.test(line)) ?? ''
    assert.ok(inReadme.includes(`| ${reads} | ${writes} |`), inReadme)
  }
})

function shown(cost: Cost | undefined): string {
  const count = (number = 0, what = '') => `${number} ${what}${number === 1 ? '' : 's'}`
  return `${count(cost?.reads, 'read')}, ${count(cost?.writes, 'write')}`
}

function textOf(file: string): Promise<string> {
  return readFile(new URL(`../../../${file}`, import.meta.url), 'utf8')
}

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

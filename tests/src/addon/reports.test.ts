import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normalizedScore, reportCondition, reportConfigMap, reportScore, withdrawReports } from '@orrery/addon/agent'
import { AddOnPlacementScore, ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { findCondition, isNotFound } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { writeConditions } from '@orrery/kube/write'
import { ADDON, CLUSTER, type ReportingAgent, startReportingAgent } from './report-agent.js'

const podReport = { namespace: CLUSTER, name: 'pod-report' }
const scoreRef = { namespace: CLUSTER, name: 'basic-addon-score' }
const addonRef = { namespace: CLUSTER, name: ADDON }

const pods = (count: number) => ({
  name: 'pod-report',
  data: (timestamp: string) => ({ report: { clusterName: CLUSTER, timestamp, totalPods: count } }),
})

test('reportConfigMap: writes JSON, and the same data again only when half of its validity is over', async (t) => {
  const { agent, admin, clock, requests } = await startReportingAgent(t)
  const first = await reportConfigMap(agent, pods(3))
  assert.deepEqual(first, { written: true, validUntil: new Date('2030-01-01T00:10:00Z') })
  const written = await admin.get(ConfigMap, podReport)
  assert.deepEqual(JSON.parse(written.data?.report ?? ''), {
    clusterName: CLUSTER,
    timestamp: '2030-01-01T00:00:00Z',
    totalPods: 3,
  })
  assert.deepEqual(written.metadata.annotations, {
    'addon.orrery.dev/observed-at': '2030-01-01T00:00:00Z',
    'addon.orrery.dev/valid-until': '2030-01-01T00:10:00Z',
  })
  assert.deepEqual(written.metadata.labels, { 'open-cluster-management.io/addon-name': ADDON })
  requests()
  clock.advance(299_000)
  assert.equal((await reportConfigMap(agent, pods(3))).written, false)
  assert.deepEqual(requests(), [])
  clock.advance(1_000)
  assert.equal((await reportConfigMap(agent, pods(3))).written, true)
  assert.equal((await reportConfigMap(agent, pods(4))).written, true)
  const last = await admin.get(ConfigMap, podReport)
  assert.equal(JSON.parse(last.data?.report ?? '').totalPods, 4)
  assert.equal(last.metadata.annotations?.['addon.orrery.dev/observed-at'], '2030-01-01T00:05:00Z')
})

test('reportConfigMap: restores what others have changed or deleted after it has read it again', async (t) => {
  const { agent, admin, clock } = await startReportingAgent(t)
  const report = { name: 'pod-report', data: { a: '1', b: { c: 2 } }, validitySeconds: 86_400 }
  await reportConfigMap(agent, report)
  await admin.patch(ConfigMap, podReport, { data: { a: 'other' } })
  clock.advance(300_000)
  assert.equal((await reportConfigMap(agent, report)).written, true)
  assert.deepEqual((await admin.get(ConfigMap, podReport)).data, { a: '1', b: '{"c":2}' })
  await admin.delete(ConfigMap, podReport)
  clock.advance(300_000)
  assert.equal((await reportConfigMap(agent, report)).written, true)
  await admin.get(ConfigMap, podReport)
})

test('reportConfigMap: refuses more than 1 MiB, naming the key and the limit, and values without a JSON form', async (t) => {
  const { agent } = await startReportingAgent(t)
  const of = (size: number) => ({ name: 'pod-report', data: { small: 'x', report: 'é'.repeat(size) } })
  await reportConfigMap(agent, of(524_288 - 6))
  await assert.rejects(reportConfigMap(agent, of(524_288)), {
    name: 'RangeError',
    message:
      'report "pod-report": data has 1048588 bytes, most of them in "report", and a ConfigMap has at most 1048576: report ' +
      'less, or several ConfigMaps',
  })
  await assert.rejects(
    reportConfigMap(agent, { name: 'pod-report', data: { a: undefined } }),
    /data\["a"\] has no JSON form/,
  )
})

test('reportConfigMap: does not overwrite the report of another add-on', async (t) => {
  const { agent } = await startReportingAgent(t)
  await reportConfigMap(agent, pods(1))
  const other = { ...agent, addonName: 'other' }
  await assert.rejects(
    reportConfigMap(other, pods(2)),
    /^Error: ConfigMap "pod-report" belongs to the add-on "basic-addon": choose another name for the report of "other"$/,
  )
})

test('reports: are deleted with the ManagedClusterAddOn, and not written while it is being deleted', async (t) => {
  const { agent, admin, clock } = await startReportingAgent(t)
  await reportConfigMap(agent, pods(1))
  await reportScore(agent, { name: scoreRef.name, scores: { podCount: 1 } })
  await admin.patch(ManagedClusterAddOn, addonRef, { metadata: { finalizers: ['example.com/wait'] } })
  await admin.delete(ManagedClusterAddOn, addonRef)
  clock.advance(300_000)
  assert.equal((await reportConfigMap(agent, pods(2))).written, false)
  assert.equal((await reportScore(agent, { name: scoreRef.name, scores: { podCount: 2 } })).written, false)
  assert.equal((await reportCondition(agent, podCountHealthy(2))).written, false)
  await admin.patch(ManagedClusterAddOn, addonRef, { metadata: { finalizers: null } })
  await eventually('the reports are gone', async () => {
    const found = [await admin.find(ConfigMap, podReport), await admin.find(AddOnPlacementScore, scoreRef)]
    return found.every((object) => object === undefined)
  })
  clock.advance(300_000)
  await assert.rejects(
    reportConfigMap(agent, pods(2)),
    /ManagedClusterAddOn c1\/basic-addon does not exist on the hub: check/,
  )
})

function podCountHealthy(count: number) {
  return {
    type: 'PodCountHealthy',
    status: 'True',
    reason: 'PodCountWithinLimit',
    message: `Cluster has ${count} pods (healthy)`,
  } as const
}

async function conditionOf({ admin }: Pick<ReportingAgent, 'admin'>) {
  const { status } = await admin.get(ManagedClusterAddOn, addonRef)
  return findCondition(status?.conditions, 'PodCountHealthy')
}

test('reportCondition: writes on a change of status or reason, and a changed message only now and then', async (t) => {
  const reporting = await startReportingAgent(t)
  const { agent, clock, requests } = reporting
  assert.equal((await reportCondition(agent, podCountHealthy(3))).written, true)
  assert.deepEqual(await conditionOf(reporting), { ...podCountHealthy(3), lastTransitionTime: '2030-01-01T00:00:00Z' })
  requests()
  clock.advance(60_000)
  assert.equal((await reportCondition(agent, podCountHealthy(4))).written, false)
  assert.deepEqual(requests(), [])
  clock.advance(240_000)
  assert.equal((await reportCondition(agent, podCountHealthy(5))).written, true)
  assert.deepEqual(await conditionOf(reporting), { ...podCountHealthy(5), lastTransitionTime: '2030-01-01T00:00:00Z' })
  const exceeded = { ...podCountHealthy(101), status: 'False', reason: 'PodCountExceedsLimit' } as const
  clock.advance(1_000)
  assert.equal((await reportCondition(agent, exceeded)).written, true)
  assert.deepEqual(await conditionOf(reporting), { ...exceeded, lastTransitionTime: '2030-01-01T00:05:01Z' })
  await withdrawReports(agent, { conditions: ['PodCountHealthy'] })
  assert.equal(await conditionOf(reporting), undefined)
})

test('reportCondition: keeps the conditions that others write at the same time', async (t) => {
  const reporting = await startReportingAgent(t)
  const { agent, admin } = reporting
  const available = { type: 'Available', status: 'True', reason: 'ProbeAvailable' } as const
  reporting.before = async (method) => {
    if (method !== 'PATCH') return
    reporting.before = async () => undefined
    await writeConditions(admin, ManagedClusterAddOn, await admin.get(ManagedClusterAddOn, addonRef), [available])
  }
  await reportCondition(agent, podCountHealthy(1))
  const { status } = await admin.get(ManagedClusterAddOn, addonRef)
  assert.deepEqual(status?.conditions?.map(({ type }) => type).sort(), ['Available', 'PodCountHealthy'])
})

test('reportCondition: refuses types of others, and fields that the hub would reject', async (t) => {
  const { agent } = await startReportingAgent(t)
  const refused = (change: object, said: RegExp) =>
    assert.rejects(reportCondition(agent, { ...podCountHealthy(1), ...change }), said)
  for (const type of ['Available', 'ManifestApplied', 'Progressing', 'ClusterCertificateRotated']) {
    await refused({ type }, /the hub or the agent of the cluster writes this type: choose another type/)
  }
  await reportCondition(agent, { ...podCountHealthy(1), type: 'Available', ownsAvailable: true })
  await reportCondition(agent, { ...podCountHealthy(1), type: 'Degraded' })
  await refused({ type: 'a b' }, /condition "a b": type: /)
  await refused({ status: 'Yes' }, /status must be "True", "False" or "Unknown", not "Yes"/)
  await refused({ reason: 'Too Many' }, /reason must be in CamelCase with 1 to 1024 letters/)
  await refused({ reason: 'a'.repeat(1_025) }, /reason must be in CamelCase with 1 to 1024 letters/)
  await refused({ message: 'x'.repeat(32_769) }, /message has 32769 characters, and the limit is 32768/)
})

test('reportScore: creates the object and writes its status, again when half of the validity is over', async (t) => {
  const { agent, admin, clock, requests } = await startReportingAgent(t)
  const report = { name: scoreRef.name, scores: { namespaceCount: 80, podCount: -100 }, validitySeconds: 120 }
  const expected = [
    { name: 'namespaceCount', value: 80 },
    { name: 'podCount', value: -100 },
  ]
  assert.deepEqual(await reportScore(agent, report), { written: true, validUntil: new Date('2030-01-01T00:02:00Z') })
  assert.deepEqual((await admin.get(AddOnPlacementScore, scoreRef)).status, {
    scores: expected,
    validUntil: '2030-01-01T00:02:00Z',
  })
  requests()
  clock.advance(59_000)
  assert.equal((await reportScore(agent, report)).written, false)
  assert.deepEqual(requests(), [])
  clock.advance(1_000)
  assert.equal((await reportScore(agent, report)).written, true)
  // Two requests would be one too many: the last known version is enough.
  assert.deepEqual(requests(), [
    `PATCH cluster.open-cluster-management.io/v1alpha1/namespaces/${CLUSTER}/addonplacementscores/${scoreRef.name}/status`,
  ])
  assert.equal((await admin.get(AddOnPlacementScore, scoreRef)).status?.validUntil, '2030-01-01T00:03:00Z')
  await admin.delete(AddOnPlacementScore, scoreRef)
  await reportScore(agent, { ...report, scores: { podCount: 7 } })
  const { status } = await admin.get(AddOnPlacementScore, scoreRef)
  assert.deepEqual(status?.scores, [{ name: 'podCount', value: 7 }])
})

test('reportScore: refuses what the hub would reject, naming the score and the limit', async (t) => {
  const { agent, admin } = await startReportingAgent(t)
  const of = (podCount: number) => reportScore(agent, { name: scoreRef.name, scores: { podCount } })
  for (const value of [101, -101, 0.5, Number.NaN]) {
    await assert.rejects(of(value), {
      name: 'RangeError',
      message:
        `score "basic-addon-score": scores.podCount must be an integer from -100 to 100, not ${value}: map it with ` +
        'normalizedScore',
    })
  }
  await assert.rejects(
    reportScore(agent, { name: 'x', scores: {}, validitySeconds: 0 }),
    /validitySeconds must be from 1 to/,
  )
  await assert.rejects(admin.get(AddOnPlacementScore, scoreRef), isNotFound)
})

test('normalizedScore: maps any number to -100..100', () => {
  const range = { min: 0, max: 200 }
  const scores = [-5, 0, 50, 100, 150, 200, 1e9].map((value) => normalizedScore(value, range))
  assert.deepEqual(scores, [-100, -100, -50, 0, 50, 100, 100])
  assert.throws(() => normalizedScore(1, { min: 3, max: 3 }), /max must be greater than min/)
  assert.throws(() => normalizedScore(Number.NaN, range), /not a number/)
})

test('reports: work with a hub that serves add-ons only in v1alpha1', async (t) => {
  const { agent, admin } = await startReportingAgent(t, { onlyV1Alpha1: true })
  await reportConfigMap(agent, pods(1))
  await reportScore(agent, { name: scoreRef.name, scores: { podCount: 1 } })
  await reportCondition(agent, podCountHealthy(1))
  const { status } = await admin.get(ManagedClusterAddOnV1Alpha1, addonRef)
  assert.equal(findCondition(status?.conditions, 'PodCountHealthy')?.status, 'True')
  const { metadata } = await admin.get(ConfigMap, podReport)
  assert.equal(metadata.ownerReferences?.[0]?.apiVersion, 'addon.open-cluster-management.io/v1alpha1')
  await admin.delete(ManagedClusterAddOnV1Alpha1, addonRef)
  await eventually('the report is gone', async () => (await admin.find(ConfigMap, podReport)) === undefined)
})

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  AddOnPlacementScore,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterScore,
  SCORE_VALIDITY_ANNOTATION,
  ScoreCalculator,
} from '@orrery/api'
import { hubControllers } from '@orrery/hub'
import { defineCalculator, type HubCalculator, type HubScoreContext, hubScores } from '@orrery/scores'
import { availableCluster, renew, report } from '../hub/clusters.js'
import { HubServer } from '../hub/hub-server.js'

type Test = Parameters<typeof HubServer.start>[0]

/** A hub with a calculator whose score the test sets. */
async function scoringHub(t: Test, fields: Partial<HubCalculator> = {}) {
  const values = { score: 74 as number | undefined, runs: 0 }
  const calculator = defineCalculator({
    name: 'Latency',
    runsOn: 'hub',
    calculate: () => {
      values.runs += 1
      return values.score
    },
    ...fields,
  })
  const hub = await HubServer.start(t, {
    controllers: (context) => [...hubControllers(context), ...hubScores(context, [calculator])],
  })
  const runs = async (milliseconds: number) => {
    const before = values.runs
    hub.clock.advance(milliseconds)
    await hub.eventually('the calculator ran', async () => values.runs > before)
    await hub.settle()
  }
  return { hub, values, runs }
}

const ref = { namespace: 'c1', name: 'c1-latency' }

test('hubScores: writes a score as the seed of ManagedClusterScore describes it', async (t) => {
  const { hub } = await scoringHub(t)
  const cluster = await availableCluster(hub, 'c1')
  const { metadata, status } = await hub.when(ManagedClusterScore, ref, ({ status }) => status?.score !== undefined)
  const [condition] = status?.conditions ?? []
  assert.deepEqual(status, {
    conditions: [
      {
        type: 'ManagedClusterScoreUpdated',
        status: 'True',
        reason: 'ManagedClusterScoreUpdated',
        message: 'ManagedClusterScore updated successfully',
        lastTransitionTime: condition?.lastTransitionTime,
        lastUpdateTime: condition?.lastUpdateTime,
      },
    ],
    score: 74,
  })
  assert.match(condition?.lastUpdateTime ?? '', /^2030-01-01T00:00:\d\dZ$/)
  assert.equal(metadata.annotations?.[SCORE_VALIDITY_ANNOTATION], undefined)
  assert.deepEqual(
    metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
    [['ManagedCluster', cluster.metadata.uid]],
  )
})

test('hubScores: writes only changes, and the time of the update when half of the validity is over', async (t) => {
  const { hub, values, runs } = await scoringHub(t)
  await availableCluster(hub, 'c1')
  const first = await hub.when(ManagedClusterScore, ref, ({ status }) => status?.score === 74)
  await runs(60_000)
  await runs(60_000)
  assert.deepEqual(await hub.client.get(ManagedClusterScore, ref), first, 'nothing is written')
  await runs(60_000)
  const refreshed = await hub.client.get(ManagedClusterScore, ref)
  const times = [first, refreshed].map(({ status }) => Date.parse(status?.conditions[0]?.lastUpdateTime ?? ''))
  assert.ok((times[1] ?? 0) - (times[0] ?? 0) >= 150_000, 'the time is written again')
  const transitions = [first, refreshed].map(({ status }) => status?.conditions[0]?.lastTransitionTime)
  assert.equal(transitions[0], transitions[1], 'and the time of the transition stays')
  values.score = -5_000_000_000
  await runs(60_000)
  assert.equal((await hub.client.get(ManagedClusterScore, ref)).status?.score, -5_000_000_000)
  values.score = undefined
  const before = await hub.client.get(ManagedClusterScore, ref)
  await runs(600_000)
  assert.deepEqual(await hub.client.get(ManagedClusterScore, ref), before, 'an unknown score expires')
})

test('hubScores: writes an AddOnPlacementScore with its validity, and annotates the validity of slow calculators', async (t) => {
  const addOnScore = { resourceName: 'network', scoreName: 'latency' }
  const { hub, values, runs } = await scoringHub(t, { addOnScore, periodSeconds: 600 })
  await availableCluster(hub, 'c1')
  const addOnRef = { namespace: 'c1', name: 'network' }
  const { status } = await hub.when(AddOnPlacementScore, addOnRef, (score) => score.status?.scores !== undefined)
  assert.deepEqual(status?.scores, [{ name: 'latency', value: 74 }])
  assert.equal(Date.parse(status?.validUntil ?? '') - Date.parse('2030-01-01T00:30:00Z') < 60_000, true)
  const score = await hub.client.get(ManagedClusterScore, ref)
  assert.equal(score.metadata.annotations?.[SCORE_VALIDITY_ANNOTATION], '1800')
  values.score = 12_000
  await runs(600_000)
  const [after] = (await hub.client.get(AddOnPlacementScore, addOnRef)).status?.scores ?? []
  assert.deepEqual(after, { name: 'latency', value: 100 })
})

test('hubScores: refuses a calculator of agents', () => {
  const inAgent = defineCalculator({ name: 'Disk', runsOn: 'cluster', calculate: () => 1 })
  const run = () => hubScores({} as HubScoreContext, [inAgent as never])
  assert.throws(run, /^RangeError: calculator Disk has runsOn "cluster" and cannot run with/)
})

test('hubScores: restores a deleted score, and deletes the scores of a deleted cluster', async (t) => {
  const { hub } = await scoringHub(t)
  await availableCluster(hub, 'c1')
  const { metadata } = await hub.when(ManagedClusterScore, ref)
  await hub.client.delete(ManagedClusterScore, ref)
  await hub.when(ManagedClusterScore, ref, (score) => score.metadata.uid !== metadata.uid)
  await hub.client.delete(ManagedCluster, { name: 'c1' })
  await hub.whenGone(ManagedClusterScore, ref)
})

test('scoreControllers: ClusterHealth follows the availability of the cluster with the gate ClusterScores', async (t) => {
  const hub = await HubServer.start(t, { features: { ClusterScores: true } })
  const cluster = await availableCluster(hub, 'c1')
  await renew(hub, 'c1')
  const health = { namespace: 'c1', name: 'c1-clusterhealth' }
  await hub.when(ManagedClusterScore, health, ({ status }) => status?.score === 100)
  await report(hub, cluster, ManagedClusterCondition.Available, 'False')
  await hub.when(ManagedClusterScore, health, ({ status }) => status?.score === 0)
})

test('scoreControllers: calculate nothing without the gate', async (t) => {
  const hub = await HubServer.start(t)
  await availableCluster(hub, 'c1')
  await hub.settle()
  assert.deepEqual((await hub.client.list(ManagedClusterScore)).items, [])
})

test('docs: the guide for calculators lists the reserved names', async () => {
  const page = new URL('../../../docs/tasks/write-a-score-calculator.md', import.meta.url)
  const [, list = ''] = /are reserved: ([^.]*)\./.exec(await readFile(page, 'utf8')) ?? []
  const listed = Array.from(list.matchAll(/`(\w+)`/g), ([, name]) => name)
  assert.deepEqual(listed, Object.values(ScoreCalculator).toSorted())
})

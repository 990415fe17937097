import assert from 'node:assert/strict'
import { after, before, suite, type TestContext, test } from 'node:test'
import { AppliedManifestWork, ManifestWorkReplicaSet } from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { isBeingDeleted } from '@orrery/kube'
import { condition, NAMESPACE } from '../hub/works.js'
import { RolloutFleet } from './rollout-fleet.js'

const MINUTE = 60_000

let fleet: RolloutFleet
let stop: () => Promise<void>

before(async () => {
  // Steps that a hook registers for later run after the hook.
  const life = {
    after(step: typeof stop) {
      stop = step
    },
  }
  fleet = await RolloutFleet.start(life as Pick<TestContext, 'after'>, 'c1', 'c2', 'c3', 'c4', 'c5')
})
after(() => stop())

suite('rollout strategy All', () => {
  test('rolls out to every cluster at once, and reports failed, unready and late ones until all succeed', async () => {
    const set = await fleet.deployed('all', ['c1', 'c2', 'c3'])
    await set.addNamespace('all', 'c1', 'c2')
    const wants = { namespace: 'all', deployment: true }
    await set.rollOut('2', { type: 'All', all: { progressDeadline: '5m' } }, wants)
    await set.isAt('2', 'c1', 'c2', 'c3')
    await set.makeReady('c1')
    await set.isUnderWay(/failed: c3 \(.*namespaces "all" not found.*\); waiting for c2 \(.*Deployment/)
    await condition(fleet.hub, 'all', 'ManifestworkApplied', 'NotAsExpected', /^1 of 3 works are degraded$/)
    const { status } = await fleet.hub.client.get(ManifestWorkReplicaSet, set.ref)
    const counts = { desiredTotal: 3, total: 3, updated: 3, applied: 2, available: 2, progressing: 2, degraded: 1 }
    assert.deepEqual(status?.summary, counts)
    await set.after(5 * MINUTE)
    await set.isUnderWay(/progressDeadline exceeded: c2 \(.*\), c3 \(/)
    await set.addNamespace('all', 'c3')
    await set.makeReady('c2', 'c3')
    await set.isComplete()
    await condition(fleet.hub, 'all', 'ManifestworkApplied', 'AsExpected')
  })
})

suite('rollout strategy Progressive', () => {
  test('has maxConcurrency clusters in progress, and continues when one succeeds', async () => {
    const set = await fleet.deployed('number', ['c3', 'c1'], ['c2'])
    const progressive = { maxConcurrency: 1 }
    await set.rollOut('2', { type: 'Progressive', progressive }, { deployment: true })
    await set.isAt('2', 'c1')
    await set.isUnderWay(/waiting for c1 \(.*Deployment.*\); 2 of 3 clusters do not have the latest manifests yet/)
    await set.makeReady('c1')
    await set.isAt('2', 'c1', 'c2')
    await set.makeReady('c2')
    await set.isAt('2', 'c1', 'c2', 'c3')
    await set.makeReady('c3')
    await set.isComplete()
  })

  test('accepts a percentage for maxConcurrency', async () => {
    const set = await fleet.deployed('share', ['c1', 'c2', 'c3', 'c4', 'c5'])
    const progressive = { maxConcurrency: '40%' }
    await set.rollOut('2', { type: 'Progressive', progressive }, { deployment: true })
    await set.isAt('2', 'c1', 'c2')
    await set.makeReady('c2')
    await set.isAt('2', 'c1', 'c2', 'c3')
    await set.makeReady('c1', 'c3')
    await set.isAt('2', 'c1', 'c2', 'c3', 'c4', 'c5')
  })

  test('waits until a cluster was successful for minSuccessTime', async () => {
    const set = await fleet.deployed('soak', ['c1', 'c2', 'c3'])
    const progressive = { maxConcurrency: 1, minSuccessTime: '5m' }
    await set.rollOut('2', { type: 'Progressive', progressive }, { deployment: true })
    await set.isAt('2', 'c1')
    await set.after(6 * MINUTE)
    await set.makeReady('c1')
    await set.isUnderWay(/waiting for minSuccessTime of c1; 2 of 3/)
    await set.after(4 * MINUTE)
    await set.isAt('2', 'c1')
    await set.after(MINUTE)
    await set.isAt('2', 'c1', 'c2')
  })

  test('stops at the first failure, and resumes by itself when it is solved', async () => {
    const set = await fleet.deployed('stops', ['c1', 'c2', 'c3'])
    await set.addNamespace('stops', 'c2', 'c3')
    const progressive = { maxConcurrency: 1 }
    await set.rollOut('2', { type: 'Progressive', progressive }, { namespace: 'stops' })
    await set.isUnderWay(/stopped: 1 failed, maxFailures is 0; failed: c1 \(.*"stops" not found.*2 of 3/)
    await set.isAt('2', 'c1')
    await set.addNamespace('stops', 'c1')
    await set.isAt('2', 'c1', 'c2', 'c3')
    await set.isComplete()
  })

  test('allows maxFailures failed or late clusters, and stops at one more', async () => {
    const set = await fleet.deployed('failures', ['c1', 'c2', 'c3', 'c4', 'c5'])
    await set.addNamespace('failures', 'c2', 'c5')
    const progressive = { maxConcurrency: 1, maxFailures: 2, progressDeadline: '10m' }
    await set.rollOut('2', { type: 'Progressive', progressive }, { namespace: 'failures', deployment: true })
    // One fails, and the next is never ready.
    await set.isAt('2', 'c1', 'c2')
    await set.isUnderWay(/failed: c1 \(.*\); waiting for c2 \(.*Deployment/)
    await set.after(10 * MINUTE)
    await set.isUnderWay(/stopped: 3 failed, maxFailures is 2; failed: c3 .*progressDeadline exceeded: c1 .*, c2 /)
    await set.isAt('2', 'c1', 'c2', 'c3')
    await set.makeReady('c2')
    await set.isAt('2', 'c1', 'c2', 'c3', 'c4')
    await set.isUnderWay(/stopped: 3 failed, maxFailures is 2; failed: c3 .*, c4 /)
  })

  test('accepts a percentage for maxFailures', async () => {
    const set = await fleet.deployed('shares', ['c1', 'c2', 'c3', 'c4', 'c5'])
    await set.addNamespace('shares', 'c3', 'c5')
    const progressive = { maxConcurrency: 1, maxFailures: '40%' }
    await set.rollOut('2', { type: 'Progressive', progressive }, { namespace: 'shares' })
    await set.isAt('2', 'c1', 'c2', 'c3', 'c4')
    await set.isUnderWay(/stopped: 3 failed, maxFailures is 2; failed: c1 .*, c2 .*, c4 .*; 1 of 5/)
  })

  test('starts with mandatory groups, which allow no failures', async () => {
    const set = await fleet.deployed('canary', ['c1', 'c2'], { name: 'canary', clusters: ['c4', 'c5'] })
    await set.addNamespace('canary', 'c1', 'c4')
    const progressive = { mandatoryDecisionGroups: [{ groupName: 'canary' }], maxFailures: '100%' }
    await set.rollOut('2', { type: 'Progressive', progressive }, { namespace: 'canary' })
    await set.isUnderWay(/stopped: 1 failed, maxFailures is 0; failed: c5 /)
    await set.isAt('2', 'c4', 'c5')
    await set.addNamespace('canary', 'c5')
    await set.isAt('2', 'c1', 'c2', 'c4', 'c5')
    await set.isUnderWay(/^placement canary: failed: c2 \([^;]*\)$/)
  })
})

suite('rollout strategy ProgressivePerGroup', () => {
  test('rolls out one group after the other, with a percentage of failures in each', async () => {
    const set = await fleet.deployed('groups', ['c1', 'c5'], ['c2', 'c3'], ['c4'])
    await set.addNamespace('groups', 'c1', 'c4')
    const wants = { namespace: 'groups', deployment: true }
    await set.rollOut('2', { type: 'ProgressivePerGroup', progressivePerGroup: { maxFailures: '50%' } }, wants)
    await set.isAt('2', 'c1', 'c5')
    await set.makeReady('c1')
    await set.isAt('2', 'c1', 'c2', 'c3', 'c5')
    await set.isUnderWay(/stopped: 2 failed, maxFailures is 1; failed: c5 .*, c2 .*, c3 .*; 1 of 5/)
    await set.addNamespace('groups', 'c2', 'c3', 'c5')
    await set.makeReady('c2', 'c3', 'c5')
    await set.isAt('2', 'c1', 'c2', 'c3', 'c4', 'c5')
    await set.makeReady('c4')
    await set.isComplete()
  })

  test('starts with mandatory groups, and waits for minSuccessTime up to progressDeadline', async () => {
    const set = await fleet.deployed('pace', ['c1'], ['c2'], ['c3'], ['c4'])
    const progressivePerGroup = {
      mandatoryDecisionGroups: [{ groupIndex: 1 }],
      minSuccessTime: '3m',
      progressDeadline: '10m',
      maxFailures: 1,
    }
    await set.rollOut('2', { type: 'ProgressivePerGroup', progressivePerGroup }, { deployment: true })
    await set.isAt('2', 'c2')
    await set.makeReady('c2')
    await set.isAt('2', 'c2')
    await set.after(3 * MINUTE)
    await set.isAt('2', 'c1', 'c2')
    await set.after(10 * MINUTE)
    await set.isUnderWay(/progressDeadline exceeded: c1 /)
    await set.isAt('2', 'c1', 'c2', 'c3')
  })
})

suite('rollout: changes in progress', () => {
  const oneByOne = { type: 'Progressive', progressive: { maxConcurrency: 1 } } as const

  test('another version starts over, and no other cluster gets the previous one', async () => {
    const set = await fleet.deployed('anew', ['c1', 'c2', 'c3'])
    await set.rollOut('2', oneByOne, { deployment: true })
    await set.isAt('2', 'c1')
    await set.makeReady('c1')
    await set.isAt('2', 'c1', 'c2')
    await set.change('3', { deployment: true })
    await set.isAt('3', 'c1')
    await set.isAt('2', 'c2')
    await set.isAt('1', 'c3')
    await set.makeReady('c1')
    await set.isAt('3', 'c1', 'c2')
    await set.makeReady('c2')
    await set.isAt('3', 'c1', 'c2', 'c3')
    await set.makeReady('c3')
    await set.isComplete()
  })

  test('another version solves failures', async () => {
    const set = await fleet.deployed('mends', ['c1', 'c2'])
    await set.rollOut('2', oneByOne, { namespace: 'nowhere' })
    await set.isUnderWay(/stopped: 1 failed, maxFailures is 0; failed: c1 /)
    await set.isAt('2', 'c1')
    await set.change('3')
    await set.isAt('3', 'c1', 'c2')
    await set.isComplete()
  })

  test('a cluster that leaves loses its work and is not waited for', async () => {
    const set = await fleet.deployed('leaves', ['c1', 'c2'])
    await set.rollOut('2', oneByOne, { deployment: true })
    await set.isAt('2', 'c1')
    await set.decide(['c2'])
    await set.isAt('2', 'c2')
    await set.isAt('1')
    await set.makeReady('c2')
    await set.isComplete()
    const { items } = await fleet.cluster('c1').list(AppliedManifestWork)
    assert.ok(items.every(({ spec }) => !spec?.manifestWorkName.startsWith('leaves')))
  })

  test('clusters that join get the latest version, at the same pace', async () => {
    const set = await fleet.deployed('joins', ['c2'])
    await set.rollOut('2', oneByOne, { deployment: true })
    await set.isAt('2', 'c2')
    await set.decide(['c1', 'c2', 'c3'])
    await set.isAt('2', 'c2')
    await set.makeReady('c2')
    await set.isAt('2', 'c1', 'c2')
    await set.makeReady('c1')
    await set.isAt('2', 'c1', 'c2', 'c3')
  })
})

suite('deletion of a replica set', () => {
  /** Keeps an object on a cluster until its finalizer is removed. */
  async function hold(name: string, cluster: string) {
    const ref = { namespace: 'default', name }
    await fleet.cluster(cluster).patch(ConfigMap, ref, { metadata: { finalizers: ['example.com/hold'] } })
    return () => fleet.cluster(cluster).patch(ConfigMap, ref, { metadata: { finalizers: null } })
  }

  test('completes at once in the background, and clusters clean up afterwards', async () => {
    const set = await fleet.deployed('background', ['c1', 'c2'])
    const release = await hold('background', 'c1')
    await fleet.hub.client.delete(ManifestWorkReplicaSet, set.ref)
    await fleet.hub.whenGone(ManifestWorkReplicaSet, set.ref)
    await set.isAt('1', 'c1')
    const left = await set.works()
    assert.deepEqual(
      left.map((work) => [work.metadata.namespace, isBeingDeleted(work)]),
      [['c1', true]],
    )
    await release()
    await set.isAt('1')
    assert.deepEqual(await set.works(), [])
  })

  test('waits in the foreground until clusters have cleaned up, and names them', async () => {
    const set = await fleet.deployed('foreground', ['c1', 'c2'])
    const cascadeDeletionPolicy = 'Foreground'
    await fleet.hub.client.patch(ManifestWorkReplicaSet, set.ref, { spec: { cascadeDeletionPolicy } })
    const release = await hold('foreground', 'c1')
    await fleet.hub.client.delete(ManifestWorkReplicaSet, set.ref)
    await condition(
      fleet.hub,
      'foreground',
      'ManifestworkApplied',
      'Processing',
      /there are still ManifestWorks for c1$/,
    )
    await set.isAt('1', 'c1')
    await release()
    await fleet.hub.whenGone(ManifestWorkReplicaSet, { namespace: NAMESPACE, name: 'foreground' })
    assert.deepEqual(await fleet.clustersWith('foreground', '1'), [])
  })
})

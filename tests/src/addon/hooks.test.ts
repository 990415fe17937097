import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AgentAddon, Manifest } from '@orrery/addon'
import {
  DEPRECATED_ADDON_FINALIZERS,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import { Event } from '@orrery/kinds'
import { writeConditions } from '@orrery/kube'
import { AddonHub, configMap, hasCondition, reportWork } from './addon-hub.js'
import { hello, REF, startHello, writesNothing } from './hello.js'

const DEPLOY = { namespace: 'c1', name: 'addon-hello-deploy-0' }
const HOOK = { namespace: 'c1', name: 'addon-hello-pre-delete' }
const MARK = { 'addon.open-cluster-management.io/addon-pre-delete': '' }

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'clean', image: 'clean' }] }

const job: Manifest = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { namespace: 'default', name: 'clean', annotations: MARK },
  spec: { template: { spec: podSpec } },
}

/** With the deprecated label. */
const pod: Manifest = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name: 'clean', labels: MARK },
  spec: podSpec,
}

/** A hub with one cluster, whose add-on has hooks and is being deleted. */
async function deleting(t: Parameters<typeof AddonHub.start>[0], addon: AgentAddon): Promise<AddonHub> {
  const hub = await startHello(t, addon)
  await hub.hub.when(ManagedClusterAddOn, REF, ({ metadata }) => metadata.finalizers?.[0] === PRE_DELETE_FINALIZER)
  await hub.hub.when(ManifestWork, DEPLOY)
  assert.equal(await hub.client.find(ManifestWork, HOOK), undefined)
  await hub.client.delete(ManagedClusterAddOn, REF)
  await hub.hub.when(ManifestWork, HOOK)
  return hub
}

const jobReports = (values: Record<string, string | number>) => ({
  objects: [{ group: 'batch', resource: 'jobs', namespace: 'default', name: 'clean', values }],
})
const podReports = (values: Record<string, string | number>) => ({
  objects: [{ group: '', resource: 'pods', namespace: 'default', name: 'clean', values }],
})

const COMPLETED = 'HookManifestCompleted'
const NOT_COMPLETED = 'hook manifestWork addon-hello-pre-delete is not completed.'

suite('pre-delete hooks', () => {
  test('are left out of the deployment, and run before the add-on is deleted', async (t) => {
    const hub = await deleting(
      t,
      hello(() => [configMap('one'), job]),
    )
    const deploy = await hub.client.get(ManifestWork, DEPLOY)
    assert.deepEqual(
      deploy.spec?.workload?.manifests?.map(({ kind }) => kind),
      ['ConfigMap'],
    )
    const { spec, metadata } = await hub.client.get(ManifestWork, HOOK)
    assert.deepEqual(spec?.workload?.manifests, [job])
    assert.equal(metadata.ownerReferences?.[0]?.name, 'hello')
    assert.deepEqual(spec?.manifestConfigs?.[0]?.feedbackRules?.[0], { type: 'WellKnownStatus' })
    await hasCondition(hub, REF, COMPLETED, `False HookManifestIsNotCompleted: ${NOT_COMPLETED}`)
    await reportWork(hub, 'c1', HOOK.name, jobReports({ JobSucceeded: 0 }))
    await hub.settle()
    await hasCondition(hub, REF, COMPLETED, `False HookManifestIsNotCompleted: ${NOT_COMPLETED}`)
    await reportWork(hub, 'c1', HOOK.name, jobReports({ JobComplete: 'True' }))
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManifestWork, HOOK)
    await hub.hub.whenGone(ManifestWork, DEPLOY)
  })

  test('can be pods, and may be marked with a label', async (t) => {
    const hub = await deleting(
      t,
      hello(() => [configMap('one'), pod]),
    )
    await reportWork(hub, 'c1', HOOK.name, podReports({ PodPhase: 'Running' }))
    await hub.settle()
    await hasCondition(hub, REF, COMPLETED, `False HookManifestIsNotCompleted: ${NOT_COMPLETED}`)
    await reportWork(hub, 'c1', HOOK.name, podReports({ PodPhase: 'Succeeded' }))
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
  })

  test('wait for a work that is available', async (t) => {
    const hub = await deleting(
      t,
      hello(() => [configMap('one'), job]),
    )
    const conditions = { Applied: 'True', Available: 'False' } as const
    await reportWork(hub, 'c1', HOOK.name, { conditions, ...jobReports({ JobComplete: 'True' }) })
    await hub.settle()
    assert.notEqual(await hub.client.find(ManagedClusterAddOn, REF), undefined)
  })

  test('keep the deployment up to date until they complete', async (t) => {
    let data = 'a'
    const hub = await deleting(
      t,
      hello(() => [configMap('one', { data: { data } }), job]),
    )
    data = 'b'
    hub.manager.trigger('c1', 'hello')
    await hub.hub.when(ManifestWork, DEPLOY, ({ spec }) => JSON.stringify(spec).includes('"b"'))
  })

  const fix = `Delete it on the cluster to run it again, or remove the finalizer ${PRE_DELETE_FINALIZER} from the add-on.`
  const failed = (why: string) =>
    `False HookManifestFailed: hook manifestWork addon-hello-pre-delete has failed. ${why}. ${fix}`
  const failures: readonly [string, Manifest, Parameters<typeof reportWork>[3], string][] = [
    [
      'a Job that has failed',
      job,
      jobReports({ HookFailed: 'True', HookReason: 'BackoffLimitExceeded' }),
      'Job default/clean has failed: BackoffLimitExceeded',
    ],
    [
      'a Job that the agent itself reports as failed',
      job,
      jobReports({ JobFailed: 'True' }),
      'Job default/clean has failed',
    ],
    [
      'a Pod that was evicted',
      pod,
      podReports({ PodPhase: 'Failed', HookReason: 'Evicted' }),
      'Pod default/clean has failed: Evicted',
    ],
  ]
  for (const [what, hook, report, why] of failures) {
    test(`report ${what}, and go on when it has run again`, async (t) => {
      const hub = await deleting(
        t,
        hello(() => [configMap('one'), hook]),
      )
      await reportWork(hub, 'c1', HOOK.name, report)
      await hasCondition(hub, REF, COMPLETED, failed(why))
      const done = hook === job ? jobReports({ JobComplete: 'True' }) : podReports({ PodPhase: 'Succeeded' })
      await reportWork(hub, 'c1', HOOK.name, done)
      await hub.hub.whenGone(ManagedClusterAddOn, REF)
    })
  }

  test('report a work that cannot be applied, and a cluster that is unreachable', async (t) => {
    const hub = await deleting(
      t,
      hello(() => [configMap('one'), job]),
    )
    await reportWork(hub, 'c1', HOOK.name, { conditions: { Applied: 'False' } })
    const problem = 'The work is not applied: Applied is False.'
    await hasCondition(hub, REF, COMPLETED, `False HookManifestIsNotCompleted: ${NOT_COMPLETED} ${problem}`)
    const cluster = await hub.client.get(ManagedCluster, { name: 'c1' })
    const unknown = { type: 'ManagedClusterConditionAvailable', status: 'Unknown', reason: 'Lost' } as const
    await writeConditions(hub.client, ManagedCluster, cluster, [unknown])
    const lost = `False HookManifestIsNotCompleted: ${NOT_COMPLETED} Cluster c1 is unreachable.`
    await hasCondition(hub, REF, COMPLETED, lost)
  })

  test('end at their time limit, which the status shows before', async (t) => {
    const hub = await deleting(
      t,
      hello(() => [configMap('one'), job], { hookTimeoutSeconds: 300 }),
    )
    const { metadata } = await hub.client.get(ManagedClusterAddOn, REF)
    const deadline = new Date(Date.parse(metadata.deletionTimestamp ?? '') + 300_000)
    const at = `The add-on is deleted without it at ${deadline.toISOString().replace('.000Z', 'Z')}.`
    await hasCondition(hub, REF, COMPLETED, `False HookManifestIsNotCompleted: ${NOT_COMPLETED} ${at}`)
    await writesNothing(hub)
    hub.hub.clock.advance(290_000)
    await hub.settle()
    assert.notEqual(await hub.client.find(ManagedClusterAddOn, REF), undefined)
    hub.hub.clock.advance(11_000)
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
    await hub.hub.whenGone(ManifestWork, HOOK)
    await hub.hub.eventually('an event says why', async () => {
      const { items } = await hub.client.list(Event, { namespace: 'c1' })
      return items.some(
        ({ reason, note }) => reason === 'HookManifestTimedOut' && /has not completed within 300s/.test(note ?? ''),
      )
    })
  })

  test('end at their time limit even if they cannot be rendered', async (t) => {
    let isBroken = false
    const manifests = () => {
      if (isBroken) throw new Error('no image')
      return [configMap('one'), job]
    }
    const hub = await deleting(t, hello(manifests, { hookTimeoutSeconds: 60 }))
    isBroken = true
    hub.manager.trigger('c1', 'hello')
    const why = 'failed to get manifest from agent interface: no image'
    await hasCondition(hub, REF, 'ManifestApplied', `False ManifestWorkApplyFailed: ${why}`)
    hub.hub.clock.advance(130_000)
    await hub.hub.whenGone(ManagedClusterAddOn, REF)
  })

  test('are no longer waited for when the add-on has none', async (t) => {
    let manifests = [configMap('one'), job]
    const hub = await AddonHub.start(
      t,
      hello(() => manifests),
    )
    await hub.cluster('c1')
    await hub.addon('c1', 'hello')
    await hub.hub.when(ManagedClusterAddOn, REF, ({ metadata }) => metadata.finalizers?.length === 1)
    manifests = [configMap('one')]
    hub.manager.trigger('c1', 'hello')
    await hub.hub.when(ManagedClusterAddOn, REF, ({ metadata }) => metadata.finalizers === undefined)
  })

  test('leave no finalizer of older versions', async (t) => {
    const hub = await AddonHub.start(
      t,
      hello(() => [configMap('one')]),
    )
    await hub.cluster('c1')
    await hub.addon('c1', 'hello', { registered: false })
    const finalizers = [...DEPRECATED_ADDON_FINALIZERS, 'example.com/other']
    await hub.client.patch(ManagedClusterAddOn, REF, { metadata: { finalizers } })
    await hub.hub.when(ManagedClusterAddOn, REF, ({ metadata }) => metadata.finalizers?.join() === 'example.com/other')
  })
})

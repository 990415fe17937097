import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Manifest } from '@orrery/addon'
import { ManagedClusterAddOn, ManifestWork } from '@orrery/api'
import { ConfigMap, Deployment, Job } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { silentLogger } from '@orrery/kube/log'
import { HUB_SERVER, startKubeWork } from '../agent/work-pair.js'
import { startPreparedServer } from '../support/prepared-server.js'
import { type AddonHub, configMap, deployment, hasCondition } from './addon-hub.js'
import { hello, REF, startHello } from './hello.js'

const inDefault = (name: string) => ({ namespace: 'default', name })

const hook: Manifest = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { ...inDefault('clean'), annotations: { 'addon.open-cluster-management.io/addon-pre-delete': '' } },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'clean', image: 'clean' }] } } },
}

/** Starts the agent of cluster `c1`, on an API server of its own. */
async function startAgent(t: Parameters<typeof startHello>[0], { hub }: AddonHub) {
  const { clock } = hub
  const spoke = await startPreparedServer('spoke', { host: false, clock, namespaceDeletionGraceSeconds: 0 })
  t.after(() => spoke.close())
  const client = spoke.client()
  const agent = await startKubeWork({
    hub: hub.client,
    hubServer: HUB_SERVER,
    clusterName: 'c1',
    spoke: client,
    clock,
    log: silentLogger,
  })
  t.after(() => agent.close())
  return client
}

test('an agent applies the works of an add-on, reports its health and its hooks, and removes everything', async (t) => {
  const kept = configMap('kept', {}, { 'addon.open-cluster-management.io/deletion-orphan': '' })
  const manifests = [configMap('gone'), kept, deployment('agent'), hook]
  const hub = await startHello(
    t,
    hello(() => manifests, { healthProber: { type: 'DeploymentAvailability' } }),
  )
  const spoke = await startAgent(t, hub)
  const exists = async (kind: typeof ConfigMap | typeof Deployment | typeof Job, name: string) =>
    (await spoke.find(kind as typeof ConfigMap, inDefault(name))) !== undefined
  await hasCondition(
    hub,
    REF,
    'ManifestApplied',
    'True AddonManifestApplied: manifests of addon are applied successfully',
  )
  assert.ok(await exists(Deployment, 'agent'))
  assert.ok(!(await exists(Job, 'clean')), 'a hook runs only when the add-on is deleted')
  await hasCondition(hub, REF, 'Available', 'Unknown NoProbeResult: Probe results are not returned')
  const running = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
  await spoke.patch(Deployment, inDefault('agent'), { status: running }, { subresource: 'status' })
  await hasCondition(hub, REF, 'Available', 'True ProbeAvailable: hello add-on is available.')

  await hub.client.delete(ManagedClusterAddOn, REF)
  await hub.hub.eventually('the hook runs', () => exists(Job, 'clean'))
  const at = formatTime(hub.hub.clock.now())
  const condition = (type: string, reason: string) => ({
    type,
    status: 'True',
    reason,
    message: '',
    lastTransitionTime: at,
  })
  const failed = [condition('FailureTarget', 'BackoffLimitExceeded'), condition('Failed', 'BackoffLimitExceeded')]
  await spoke.patch(Job, inDefault('clean'), { status: { startTime: at, failed: 1, conditions: failed } } as never, {
    subresource: 'status',
  })
  const fix =
    'Delete it on the cluster to run it again, or remove the finalizer addon.open-cluster-management.io/addon-pre-delete from the add-on.'
  await hasCondition(
    hub,
    REF,
    'HookManifestCompleted',
    `False HookManifestFailed: hook manifestWork addon-hello-pre-delete has failed. Job default/clean has failed: BackoffLimitExceeded. ${fix}`,
  )
  const first = await spoke.get(Job, inDefault('clean'))
  await spoke.delete(Job, inDefault('clean'), { propagationPolicy: 'Background' })
  await hub.hub.eventually('the hook runs again', async () => {
    const again = await spoke.find(Job, inDefault('clean'))
    return again !== undefined && again.metadata.uid !== first.metadata.uid
  })
  const completed = [condition('SuccessCriteriaMet', 'CompletionsReached'), condition('Complete', 'CompletionsReached')]
  await spoke.patch(
    Job,
    inDefault('clean'),
    { status: { startTime: at, completionTime: at, succeeded: 1, conditions: completed } } as never,
    { subresource: 'status' },
  )
  await hub.hub.whenGone(ManagedClusterAddOn, REF)
  await hub.hub.eventually('all works are gone', async () => (await hub.client.list(ManifestWork)).items.length === 0)
  assert.ok(!(await exists(Deployment, 'agent')))
  assert.ok(!(await exists(ConfigMap, 'gone')))
  assert.ok(await exists(ConfigMap, 'kept'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  AddOnPlacementScore,
  ClusterManagementAddOnV1Alpha1,
  ManagedCluster,
  ManagedClusterAddOnV1Alpha1,
  ManifestWork,
} from '@orrery/api'
import { ConfigMap } from '@orrery/kinds'
import { findCondition, isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { exampleAddOn } from './add-ons.js'
import { when, whenGone } from './fleet-parts.js'
import { startOcmHub, startOldOcmHub, startOrreryHub } from './hubs.js'
import { joinWithOcm } from './joins.js'
import type { OcmProgram } from './ocm.js'

const CLUSTER = 'c1'
const ADDON = { namespace: CLUSTER, name: 'basic-addon' }
const POD_REPORT = { namespace: CLUSTER, name: 'pod-report' }
const SCORE = { namespace: CLUSTER, name: 'basic-addon-score' }

/** The five ways in which the example reports, each with the component of Open Cluster Management that it depends on. */
async function reportsInFiveWays(hub: KubeClient, programs: readonly OcmProgram[]): Promise<void> {
  const { data } = await when(hub, ConfigMap, POD_REPORT, () => true, programs)
  assert.equal((JSON.parse(data?.report ?? '') as { clusterName: string }).clusterName, CLUSTER)
  await when(
    hub,
    ManagedClusterAddOnV1Alpha1,
    ADDON,
    ({ status }) =>
      isConditionTrue(status?.conditions, 'Available') &&
      findCondition(status?.conditions, 'PodCountHealthy')?.reason === 'PodCountWithinLimit',
    programs,
  )
  const { status } = await when(hub, AddOnPlacementScore, SCORE, (score) => score.status !== undefined, programs)
  assert.deepEqual(status?.scores?.map(({ name }) => name).sort(), ['namespaceCount', 'podCount'])
  await when(
    hub,
    ManagedCluster,
    { name: CLUSTER },
    (cluster) =>
      cluster.status?.clusterClaims?.some(
        ({ name, value }) => name === 'basic-addon.k8s-version' && value?.startsWith('v1.'),
      ) === true,
    programs,
  )
  await when(
    hub,
    ManifestWork,
    { namespace: CLUSTER, name: 'addon-basic-addon-deploy-0' },
    (work) => {
      const values = work.status?.resourceStatus?.manifests?.flatMap(
        ({ statusFeedback }) => statusFeedback?.values ?? [],
      )
      return values?.some(({ name, fieldValue }) => name === 'readyReplicas' && fieldValue.integer === 1) === true
    },
    programs,
  )
}

const HUBS = { Orrery: startOrreryHub, OCM: startOcmHub, 'OCM (v1alpha1)': startOldOcmHub }

for (const [name, start] of Object.entries(HUBS)) {
  test(`interop: basic-addon reports in five ways to a hub of ${name} with agents of OCM`, async (t) => {
    const addOn = await exampleAddOn('basic-addon')
    const hub = await start(t, addOn.programs)
    const managed = await joinWithOcm(t, hub, CLUSTER, addOn.programs)
    await addOn.install(t, hub)
    await reportsInFiveWays(hub.client, [...hub.programs, ...managed.programs])
    await hub.client.delete(ClusterManagementAddOnV1Alpha1, { name: ADDON.name })
    await whenGone(hub.client, ManagedClusterAddOnV1Alpha1, ADDON)
    await whenGone(hub.client, ConfigMap, POD_REPORT)
    await whenGone(hub.client, AddOnPlacementScore, SCORE)
  })
}

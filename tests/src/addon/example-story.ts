import assert from 'node:assert/strict'
import {
  ADDON_NAME_LABEL,
  ADDON_NAMESPACE,
  AddOnPlacementScore,
  AppliedManifestWork,
  ClusterClaim,
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '@orrery/api'
import {
  type ApiObject,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  Deployment,
  Lease,
  Pod,
  Role,
  RoleBinding,
  Secret,
  ServiceAccount,
} from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'

/** A hub with the examples helloworld and basic-addon, and one of its clusters. */
export interface ExampleFleet {
  readonly hub: KubeClient
  readonly managed: KubeClient
  readonly cluster: string
}

const LOCAL = { namespace: ADDON_NAMESPACE }
const ofBasicAddon = (cluster: string) => ({ namespace: cluster, labelSelector: `${ADDON_NAME_LABEL}=basic-addon` })

export async function copiesConfigMaps({ hub, managed, cluster }: ExampleFleet): Promise<void> {
  const greeting = { namespace: cluster, name: 'greeting' }
  await hub.create(ConfigMap, { metadata: greeting, data: { hello: 'world' } })
  const copy = await eventually('it is copied', () => managed.find(ConfigMap, { ...greeting, ...LOCAL }))
  assert.deepEqual([copy.data, copy.metadata.labels], [{ hello: 'world' }, { 'synced-from-hub': '' }])
  assert.equal(await managed.find(ConfigMap, { ...LOCAL, name: 'pod-report' }), undefined)
}

export async function reportsInFiveWays({ hub, cluster }: ExampleFleet): Promise<void> {
  const { data } = await eventually('the pods are reported', () =>
    hub.find(ConfigMap, { namespace: cluster, name: 'pod-report' }),
  )
  const report = JSON.parse(data?.report ?? '') as { clusterName: string; totalPods: number; pods: unknown[] }
  assert.equal(report.clusterName, cluster)
  assert.equal(report.totalPods, report.pods.length)
  await eventually('the condition is reported', async () => {
    const { status } = await hub.get(ManagedClusterAddOn, { namespace: cluster, name: 'basic-addon' })
    return findCondition(status?.conditions, 'PodCountHealthy')?.reason === 'PodCountWithinLimit'
  })
  const score = await eventually('the scores are reported', async () => {
    const found = await hub.find(AddOnPlacementScore, { namespace: cluster, name: 'basic-addon-score' })
    return found?.status?.scores === undefined ? undefined : found
  })
  assert.deepEqual(score.status?.scores?.map(({ name }) => name).sort(), ['namespaceCount', 'podCount'])
  await eventually('the claim is reported', async () => {
    const { status } = await hub.get(ManagedCluster, { name: cluster })
    return /^v1\./.test(status?.clusterClaims?.find(({ name }) => name === 'basic-addon.k8s-version')?.value ?? '')
  })
  const { items: works } = await hub.list(ManifestWork, ofBasicAddon(cluster))
  assert.deepEqual(
    works.map(({ metadata }) => metadata.name),
    ['addon-basic-addon-deploy-0'],
  )
  const feedback = works[0]?.status?.resourceStatus?.manifests?.flatMap(
    ({ statusFeedback }) => statusFeedback?.values ?? [],
  )
  const integerOf = (name: string) => feedback?.find((value) => value.name === name)?.fieldValue.integer
  assert.deepEqual([integerOf('readyReplicas'), integerOf('availableReplicas')], [1, 1])
}

export async function leavesNothing({ hub, managed, cluster }: ExampleFleet): Promise<void> {
  for (const name of ['helloworld', 'basic-addon']) await hub.delete(ClusterManagementAddOn, { name })
  const left = async () => {
    const names = [
      ...(await managed.list(Deployment, LOCAL)).items,
      ...(await managed.list(Lease, LOCAL)).items,
      ...(await managed.list(Secret, LOCAL)).items,
      ...(await managed.list(ConfigMap, LOCAL)).items,
      ...(await managed.list(Pod, LOCAL)).items,
      ...(await managed.list(ClusterClaim)).items,
      ...(await hub.list(ManagedClusterAddOn)).items,
      ...(await hub.list(ManifestWork)).items,
      ...(await hub.list(AddOnPlacementScore)).items,
      ...(await hub.list(ConfigMap, ofBasicAddon(cluster))).items,
      ...(await permissionsLeft({ hub, managed, cluster })),
    ].map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    return names.filter((name) => name !== 'ConfigMap kube-root-ca.crt')
  }
  let seen: string[] = []
  await eventually(
    'nothing is left',
    async () => {
      seen = await left()
      return seen.length === 0
    },
    { seen: () => seen },
  )
}

/** The permissions of the agents on both sides, and the records of their works. */
async function permissionsLeft({ hub, managed, cluster }: ExampleFleet): Promise<ApiObject[]> {
  const ofAgent = ({ metadata: { name } }: ApiObject) => /(helloworld|basic-addon)(-deploy|-agent|:agent)/.test(name)
  return [
    ...(await managed.list(AppliedManifestWork)).items,
    ...(await managed.list(ServiceAccount, LOCAL)).items,
    ...(await managed.list(Role, LOCAL)).items,
    ...(await managed.list(RoleBinding, LOCAL)).items,
    ...(await managed.list(ClusterRole)).items,
    ...(await managed.list(ClusterRoleBinding)).items,
    ...(await hub.list(Role, { namespace: cluster })).items,
    ...(await hub.list(RoleBinding, { namespace: cluster })).items,
  ].filter(ofAgent)
}

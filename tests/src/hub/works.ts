import assert from 'node:assert/strict'
import {
  CLUSTER_GROUP,
  DECISION_GROUP_INDEX_LABEL,
  DECISION_GROUP_NAME_LABEL,
  ManifestWork,
  ManifestWorkReplicaSet,
  type NewManifestWorkReplicaSet,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  REPLICA_SET_LABEL,
} from '@orrery/api'
import { type Condition, type ConditionStatus, Namespace } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { writeConditions, writeStatus } from '@orrery/kube'
import { acceptedCluster } from './clusters.js'
import type { HubServer } from './hub-server.js'

/** The namespace of placements and replica sets. */
export const NAMESPACE = 'apps'

/** Placements are decided by the tests themselves. */
export const FEATURES = {
  ManifestWorkReplicaSet: true,
  CleanUpCompletedManifestWork: true,
  PlacementScheduling: false,
}

type Template = NonNullable<NonNullable<NewManifestWorkReplicaSet['spec']>['manifestWorkTemplate']>
type Strategy = NonNullable<NewManifestWorkReplicaSet['spec']>['placementRefs'][number]['rolloutStrategy']

/** A work with one ConfigMap. */
export function configMapWork(data: Record<string, unknown> = { version: '1' }): Template {
  const metadata = { namespace: 'default', name: 'settings' }
  return { workload: { manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }] } }
}

/** Accepts clusters, and creates the namespace for tests. */
export async function withClusters(hub: HubServer, ...names: string[]): Promise<void> {
  await hub.client.create(Namespace, { metadata: { name: NAMESPACE } })
  await Promise.all(names.map((name) => acceptedCluster(hub, name)))
}

/** A decision group of a placement, with its name if it has one. */
export type Group = readonly string[] | { readonly name: string; readonly clusters: readonly string[] }

/** Writes placement decisions, as the placement controller would: one for each group. */
export async function decide(hub: HubServer, name: string, ...groups: readonly Group[]): Promise<void> {
  const { client } = hub
  const ref = { namespace: NAMESPACE, name }
  const placement = (await client.find(Placement, ref)) ?? (await client.create(Placement, { metadata: ref, spec: {} }))
  const wanted = groups.length === 0 ? [[]] : groups
  for (const [index, group] of wanted.entries()) {
    const { name: groupName, clusters } = 'clusters' in group ? group : { name: '', clusters: group }
    const metadata = {
      namespace: NAMESPACE,
      name: `${name}-decision-${index + 1}`,
      labels: {
        [PLACEMENT_LABEL]: name,
        [DECISION_GROUP_INDEX_LABEL]: `${index}`,
        [DECISION_GROUP_NAME_LABEL]: groupName,
      },
      ownerReferences: [
        {
          apiVersion: `${CLUSTER_GROUP}/v1beta1`,
          kind: 'Placement',
          name,
          uid: placement.metadata.uid,
          controller: true,
        },
      ],
    }
    const decision =
      (await client.find(PlacementDecision, metadata)) ?? (await client.create(PlacementDecision, { metadata }))
    const decisions = clusters.map((clusterName) => ({ clusterName, reason: '' }))
    await writeStatus(client, PlacementDecision, decision, () => ({ decisions }))
  }
  const count = wanted.reduce((sum, group) => sum + ('clusters' in group ? group.clusters : group).length, 0)
  await writeStatus(client, Placement, placement, ({ status }) => ({ ...status, numberOfSelectedClusters: count }))
}

/** Creates a replica set for one placement. */
export function createSet(
  hub: HubServer,
  name: string,
  settings: {
    readonly template?: Template
    readonly rolloutStrategy?: Strategy
    readonly placements?: readonly string[]
    readonly annotations?: Record<string, string>
    readonly labels?: Record<string, string>
    readonly cascadeDeletionPolicy?: 'Background' | 'Foreground'
  } = {},
): Promise<ManifestWorkReplicaSet> {
  const { template = configMapWork(), rolloutStrategy, placements = ['p1'] } = settings
  const { annotations = {}, labels = {}, cascadeDeletionPolicy } = settings
  return hub.client.create(ManifestWorkReplicaSet, {
    metadata: { namespace: NAMESPACE, name, annotations, labels },
    spec: {
      manifestWorkTemplate: template,
      placementRefs: placements.map((placement) => ({
        name: placement,
        ...(rolloutStrategy !== undefined && { rolloutStrategy }),
      })),
      ...(cascadeDeletionPolicy !== undefined && { cascadeDeletionPolicy }),
    },
  })
}

/** Changes the template of a replica set. */
export async function changeTemplate(hub: HubServer, name: string, template: Template): Promise<void> {
  const patch = { spec: { manifestWorkTemplate: template } }
  await hub.client.patch(ManifestWorkReplicaSet, { namespace: NAMESPACE, name }, patch)
}

/** The works of all replica sets, by cluster. */
export async function worksByCluster(hub: HubServer): Promise<Map<string, ManifestWork>> {
  const { items } = await hub.client.list(ManifestWork, { labelSelector: REPLICA_SET_LABEL })
  return new Map(items.map((work) => [work.metadata.namespace, work]))
}

/** Waits until exactly these clusters have works of a version, and checks that it stays so. */
export async function isAt(hub: HubServer, version: string, ...clusters: string[]): Promise<void> {
  const current = async () => (await clustersAt(hub, version)).join()
  const wanted = clusters.join()
  const what = `${clusters} have version ${version}`
  await hub.eventually(what, async () => (await current()) === wanted)
  await hub.settle()
  assert.equal(await current(), wanted, what)
}

/** The clusters whose works have a version, in order. */
async function clustersAt(hub: HubServer, version: string): Promise<string[]> {
  const works = [...(await worksByCluster(hub)).values()]
  return works
    .filter((work) => dataOf(work).version === version)
    .map(({ metadata }) => metadata.namespace)
    .sort()
}

export function dataOf({ spec }: ManifestWork): Record<string, unknown> {
  return spec?.workload?.manifests?.[0]?.data as Record<string, unknown>
}

type Reported = 'done' | 'progressing' | 'failed' | 'refused' | 'available'

const CONDITIONS: Readonly<Record<Reported, Readonly<Record<string, ConditionStatus>>>> = {
  done: { Applied: 'True', Available: 'True', Progressing: 'False', Degraded: 'False' },
  progressing: { Applied: 'True', Available: 'True', Progressing: 'True', Degraded: 'False' },
  failed: { Applied: 'True', Available: 'True', Progressing: 'True', Degraded: 'True' },
  refused: { Applied: 'False' },
  /** As Open Cluster Management's agent reports it, without progress. */
  available: { Applied: 'True', Available: 'True' },
}

/** Reports the status of works on some clusters, as their agents would. */
export async function reportWork(hub: HubServer, how: Reported, ...clusters: string[]): Promise<void> {
  const works = await worksByCluster(hub)
  await Promise.all(
    clusters.map((cluster) => {
      const work = works.get(cluster)
      if (work === undefined) throw new Error(`there is no work on ${cluster}`)
      const findings = Object.entries(CONDITIONS[how]).map(([type, status]) => ({
        type,
        status,
        reason: 'Reported',
        message: `${type} is ${status}`,
        observedGeneration: work.metadata.generation,
      }))
      return writeConditions(hub.asAgent(cluster), ManifestWork, work, findings, { clock: hub.clock })
    }),
  )
}

/** A condition of a replica set, once it matches. */
export async function condition(
  hub: HubServer,
  set: string,
  type: string,
  reason: string,
  message: RegExp = /(?:)/,
): Promise<Condition> {
  const found = await hub.when(ManifestWorkReplicaSet, { namespace: NAMESPACE, name: set }, ({ status }) => {
    const current = findCondition(status?.conditions, type)
    return current?.reason === reason && message.test(current.message)
  })
  return findCondition(found.status?.conditions, type) as Condition
}

import {
  type EmbeddedObject,
  ManifestWork,
  ManifestWorkReplicaSet,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import { type CallOptions, isNotFound, jsonEqual, type KubeClient, type KubeObject, patchLocked } from '@orrery/kube'
import { Namespace } from '@orrery/kube/kinds'
import { OperationError } from './operationerror.js'

/** Which objects clusters shall have, under which name. */
export interface WorkDraft {
  readonly name: string
  readonly manifests: readonly KubeObject[]
  /** Whether a work of that name is changed. Default false: that is refused. */
  readonly overwrite?: boolean
}

/** What became of a work. */
export type WorkChange = 'created' | 'changed' | 'unchanged'

/** Hands a work to a cluster. */
export async function createWork(
  client: KubeClient,
  cluster: string,
  { name, manifests, overwrite = false }: WorkDraft,
  call: CallOptions = {},
): Promise<WorkChange> {
  const ref = { namespace: cluster, name }
  const wanted = manifests as EmbeddedObject[]
  const current = await client.find(ManifestWork, ref, call)
  if (current === undefined) {
    if ((await client.find(Namespace, { name: cluster }, call)) === undefined) {
      throw new OperationError(`the hub has no cluster ${cluster}, or has not let it in: see \`orrery get clusters\``)
    }
    await client.create(ManifestWork, { metadata: ref, spec: { workload: { manifests: wanted } } }, call)
    return 'created'
  }
  if (jsonEqual(current.spec?.workload?.manifests ?? [], wanted)) return 'unchanged'
  if (!overwrite) throw existing(`work ${name} of cluster ${cluster}`)
  // How objects are treated, and what happens when the work goes, stays as it was.
  await patchLocked(client, ManifestWork, current, () => ({ spec: { workload: { manifests: wanted as never } } }), call)
  return 'changed'
}

/** Hands a work to every cluster that a placement chooses, now and later. */
export async function createReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  { name, manifests, overwrite = false }: WorkDraft,
  call: CallOptions = {},
): Promise<WorkChange> {
  await thePlacement(client, placement, call)
  const ref = { namespace: placement.namespace, name }
  const wanted = manifests as EmbeddedObject[]
  const current = await client.find(ManifestWorkReplicaSet, ref, call)
  if (current === undefined) {
    const spec = {
      manifestWorkTemplate: { workload: { manifests: wanted } },
      placementRefs: [{ name: placement.name }],
    }
    await client.create(ManifestWorkReplicaSet, { metadata: ref, spec }, call)
    return 'created'
  }
  const { manifestWorkTemplate, placementRefs = [] } = current.spec ?? {}
  const refs = placementRefs.some((one) => one.name === placement.name)
    ? placementRefs
    : [...placementRefs, { name: placement.name }]
  if (refs === placementRefs && jsonEqual(manifestWorkTemplate?.workload?.manifests ?? [], wanted)) return 'unchanged'
  if (!overwrite) throw existing(`replica set ${placement.namespace}/${name}`)
  const spec = { manifestWorkTemplate: { workload: { manifests: wanted } }, placementRefs: refs }
  await patchLocked(client, ManifestWorkReplicaSet, current, () => ({ spec: spec as never }), call)
  return 'changed'
}

function existing(what: string): OperationError {
  return new OperationError(`there is a ${what} already, with other manifests: change it with --overwrite`)
}

export interface PlacementRef {
  readonly namespace: string
  readonly name: string
}

/** The clusters that a placement has chosen. */
export async function placedClusters(
  client: KubeClient,
  placement: PlacementRef,
  call: CallOptions = {},
): Promise<string[]> {
  const { namespace, name } = placement
  await thePlacement(client, placement, call)
  const { items } = await client.list(PlacementDecision, {
    ...call,
    namespace,
    labelSelector: `${PLACEMENT_LABEL}=${name}`,
  })
  const clusters = items.flatMap(({ status }) => status?.decisions?.map(({ clusterName }) => clusterName) ?? [])
  if (clusters.length === 0) throw new OperationError(`placement ${namespace}/${name} has chosen no cluster yet`)
  return [...new Set(clusters)].sort()
}

async function thePlacement(client: KubeClient, ref: PlacementRef, call: CallOptions): Promise<void> {
  if ((await client.find(Placement, ref, call)) !== undefined) return
  throw new OperationError(`there is no placement ${ref.namespace}/${ref.name} on the hub`)
}

/** Takes a work from a cluster, with what it put there. False when there was none. */
export async function deleteWork(
  client: KubeClient,
  cluster: string,
  name: string,
  call: CallOptions = {},
): Promise<boolean> {
  try {
    await client.delete(ManifestWork, { namespace: cluster, name }, call)
    return true
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

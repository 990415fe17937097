import { type EmbeddedObject, ManifestWorkReplicaSet, PLACEMENT_LABEL, Placement, PlacementDecision } from '@orrery/api'
import { type CallOptions, jsonEqual, type KubeClient, patchLocked } from '@orrery/kube'
import { OperationError } from './operationerror.js'
import { alreadyThere, type WorkChange, type WorkDraft } from './workdraft.js'

/** Which placement is meant. */
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
  if (!overwrite) throw alreadyThere(`replica set ${placement.namespace}/${name}`)
  const spec = { manifestWorkTemplate: { workload: { manifests: wanted } }, placementRefs: refs }
  await patchLocked(client, ManifestWorkReplicaSet, current, () => ({ spec: spec as never }), call)
  return 'changed'
}

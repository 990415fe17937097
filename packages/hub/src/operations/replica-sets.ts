import {
  type EmbeddedObject,
  ManifestWorkReplicaSet,
  type NewManifestWork,
  type NewManifestWorkReplicaSet,
  partChanges,
  splitWork,
  TEMPLATING_ANNOTATION,
} from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { hasPlainValues, isSealed } from '@orrery/kube/seal'
import { patchLocked } from '@orrery/kube/write'
import type { PlacementRef } from '../placement/index.js'
import { callOf } from './call.js'
import { type MoveOptions, whileMoving } from './moving.js'
import { OperationError } from './operation-error.js'
import { writePart } from './part-writing.js'
import { requirePlacement, selectedBy } from './placements.js'
import { asSet, asWork, partsOfSet } from './replica-set-parts.js'
import { whenRolledOut } from './rolled-out.js'
import { refuseUnsealing } from './unsealing.js'
import { alreadyThere, type WorkChange, type WorkDraft } from './work-draft.js'
import { partsOfWork } from './workparts.js'

/** The result of writing a replica set. */
export interface ReplicaSetChange {
  readonly change: WorkChange
  /** Its names: several if it is too large for one. */
  readonly names: readonly string[]
}

/**
 * Creates or updates a replica set, which keeps a work on every cluster that a placement selects. One that is too large is
 * split into several, which change in an order that deletes no object that only moves between them. Update strategies and
 * rollout strategies stay as they are.
 */
export async function createReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  draft: WorkDraft,
  options: MoveOptions = {},
): Promise<ReplicaSetChange> {
  const call = callOf(options)
  refuseSealing(draft)
  await requirePlacement(client, placement, call)
  await refuseUnsealingWorks(client, placement, draft, call)
  const { namespace } = placement
  const { name, overwrite = false } = draft
  const current = await partsOfSet(client, namespace, name, call)
  const { manifestWorkTemplate, ...settings } = current[0]?.spec ?? { placementRefs: [] }
  const { labels = {}, annotations = {} } = current[0]?.metadata ?? {}
  const whole = {
    metadata: { namespace, name, labels, annotations: templatingIn(annotations) },
    spec: { ...manifestWorkTemplate, workload: { manifests: draft.manifests as EmbeddedObject[] } },
  }
  const currentWorks = current.map((set) => asWork(set, name))
  const wanted = splitWork(whole, { current: currentWorks })
  const names = wanted.map(({ metadata }) => metadata.name ?? '')
  const { first, afterwards, removed } = partChanges(currentWorks, wanted)
  const placementRefs = withPlacement(settings.placementRefs, placement.name)
  const isPlaced = current.every(({ spec }) => spec?.placementRefs.some((ref) => ref.name === placement.name))
  if (isPlaced && first.length + afterwards.length + removed.length === 0) return { change: 'unchanged', names }
  if (current.length > 0 && !overwrite) throw alreadyThere(`replica set ${namespace}/${name}`)

  const write = (part: NewManifestWork) =>
    writePart(client, ManifestWorkReplicaSet, current, asSet(part, { ...settings, placementRefs }), call)
  const later = new Set(afterwards)
  const written = await Promise.all(wanted.filter((part) => !later.has(part)).map(write))
  if (afterwards.length + removed.length > 0) {
    const late =
      `replica set ${namespace}/${name} is not rolled out yet, and has to be before the rest of it changes: see the ` +
      `condition PlacementRolledOut of ${written.map(({ metadata }) => metadata.name).join(', ')}, and repeat this`
    await whileMoving(options, late, async (signal) => {
      await Promise.all(written.map((part) => whenRolledOut(client, part, current, signal)))
    })
    await Promise.all(afterwards.map(write))
    await Promise.all(removed.map(({ metadata }) => client.ensureDeleted(ManifestWorkReplicaSet, metadata, call)))
  }
  return { change: current.length === 0 ? 'created' : 'changed', names }
}

/** Sealed values are for one cluster. Sealing them for others requires the plain text, which the hub must not have. */
function refuseSealing({ manifests, seal = false }: WorkDraft): void {
  const sealed = manifests.find(isSealed)
  if (!seal && sealed === undefined) return
  const what = sealed === undefined ? 'Secrets' : `Secret ${sealed.metadata.name}`
  throw new OperationError(
    `${what} cannot be sealed for a replica set: only one cluster can read sealed values. Create a work for each cluster: ` +
      '`orrery create work` with --seal, without --replicaset',
  )
}

/** A replica set does not change other works, but its template on the hub would have their Secrets in plain text. */
async function refuseUnsealingWorks(
  client: KubeClient,
  placement: PlacementRef,
  { name, manifests }: WorkDraft,
  call: CallOptions,
): Promise<void> {
  if (!manifests.some(hasPlainValues)) return
  const clusters = await selectedBy(client, placement, call)
  await Promise.all(
    clusters.map(async (cluster) => {
      const works = await partsOfWork(client, cluster, name, call).catch(noneIfForbidden)
      const stored = works.flatMap(({ spec }) => spec?.workload?.manifests ?? [])
      const fix = 'create a work for each cluster, with --seal and without --replicaset'
      refuseUnsealing(`work ${name} of cluster ${cluster}`, stored, manifests, fix)
    }),
  )
}

/** Users who may not read works cannot expose their Secrets either. */
function noneIfForbidden(error: unknown): [] {
  if (isForbidden(error)) return []
  throw error
}

/** New parts are templates if the existing ones are. */
function templatingIn({ [TEMPLATING_ANNOTATION]: templating }: Readonly<Record<string, string>>) {
  return templating === undefined ? {} : { [TEMPLATING_ANNOTATION]: templating }
}

type PlacementRefs = NonNullable<NewManifestWorkReplicaSet['spec']>['placementRefs']

function withPlacement(refs: PlacementRefs, name: string): PlacementRefs {
  return refs.some((ref) => ref.name === name) ? refs : [...refs, { name }]
}

/** The result of removing a replica set from a placement. */
export interface ReplicaSetRemoval {
  /** Its names. */
  readonly names: readonly string[]
  /** The placements that it still has. None if it is being deleted. */
  readonly others: readonly string[]
}

/**
 * Removes a replica set, in all its parts, from the clusters of a placement, with its objects there. It is deleted unless it
 * has other placements. Undefined if it does not exist.
 */
export async function deleteReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  name: string,
  call: CallOptions = {},
): Promise<ReplicaSetRemoval | undefined> {
  const { namespace } = placement
  const parts = await partsOfSet(client, namespace, name, call)
  if (parts.length === 0) return undefined
  const named = new Set(parts.flatMap(({ spec }) => spec?.placementRefs.map((ref) => ref.name) ?? []))
  if (!named.delete(placement.name)) {
    const others = [...named].join(', ')
    throw new OperationError(
      `replica set ${namespace}/${name} does not have placement ${placement.name}, but ${others}`,
    )
  }
  await Promise.all(parts.map((part) => removePlacement(client, part, placement.name, call)))
  return { names: parts.map(({ metadata }) => metadata.name), others: [...named] }
}

async function removePlacement(
  client: KubeClient,
  part: ManifestWorkReplicaSet,
  placement: string,
  call: CallOptions,
): Promise<void> {
  const others = ({ spec }: ManifestWorkReplicaSet) =>
    spec?.placementRefs.filter(({ name }) => name !== placement) ?? []
  if (others(part).length > 0) {
    const patchOf = (current: ManifestWorkReplicaSet) =>
      ({ spec: { placementRefs: others(current) } }) as unknown as JsonObject
    await patchLocked(client, ManifestWorkReplicaSet, part, patchOf, call)
    return
  }
  const { uid } = part.metadata
  await client.ensureDeleted(ManifestWorkReplicaSet, part.metadata, { ...call, preconditions: { uid } })
}

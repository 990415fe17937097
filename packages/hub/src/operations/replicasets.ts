import {
  type EmbeddedObject,
  ManifestWorkReplicaSet,
  type NewManifestWork,
  type NewManifestWorkReplicaSet,
  partChanges,
  ReplicaSetCondition,
  splitWork,
  TEMPLATING_ANNOTATION,
} from '@orrery/api'
import {
  type CallOptions,
  findCondition,
  type Informers,
  type KubeClient,
  mergePatchOf,
  patchLocked,
} from '@orrery/kube'
import { isSealed } from '@orrery/kube/seal'
import { awaiting } from './awaiting.js'
import { OperationError } from './operationerror.js'
import { type PlacementRef, thePlacement } from './placements.js'
import { asSet, asWork, partsOfSet } from './replicasetparts.js'
import { alreadyThere, type WorkChange, type WorkDraft } from './workdraft.js'
/** What became of a replica set. */
export interface ReplicaSetChange {
  readonly change: WorkChange
  /** What it is called: several names when it is too large for one. */
  readonly names: readonly string[]
}

/** How long clusters may take to get what moves between the parts of a replica set. */
const MOVING_MS = 300_000

/**
 * Hands a work to every cluster that a placement chooses, now and later. One that is too large becomes several replica sets,
 * and these change so that nothing is deleted on clusters that only moves between them. How objects are treated, and how
 * they are rolled out, stays as it was.
 */
export async function createReplicaSet(
  client: KubeClient,
  placement: PlacementRef,
  draft: WorkDraft,
  call: CallOptions = {},
): Promise<ReplicaSetChange> {
  refuseSealing(draft)
  await thePlacement(client, placement, call)
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

  const write = (part: NewManifestWork) => writePart(client, current, asSet(part, { ...settings, placementRefs }), call)
  const later = new Set(afterwards)
  const written = await Promise.all(wanted.filter((part) => !later.has(part)).map(write))
  if (afterwards.length + removed.length > 0) {
    const signal = call.signal ?? AbortSignal.timeout(MOVING_MS)
    await Promise.all(written.map((part) => whenRolledOut(client, part, signal)))
    await Promise.all(afterwards.map(write))
    await Promise.all(removed.map(({ metadata }) => client.ensureDeleted(ManifestWorkReplicaSet, metadata, call)))
  }
  return { change: current.length === 0 ? 'created' : 'changed', names }
}

/** What is sealed is for one cluster, and only who sees it in clear text can seal it for others: the hub must not. */
function refuseSealing({ manifests, seal = false }: WorkDraft): void {
  const sealed = manifests.find(isSealed)
  if (!seal && sealed === undefined) return
  const what = sealed === undefined ? 'Secrets' : `Secret ${sealed.metadata.name}`
  throw new OperationError(
    `${what} cannot be sealed for a replica set: only one cluster can read what is sealed. Hand it to each cluster in a ` +
      'work of its own: `orrery create work` with --seal, without --replicaset',
  )
}

/** Parts that come later are filled in if those before are. */
function templatingIn({ [TEMPLATING_ANNOTATION]: templating }: Readonly<Record<string, string>>) {
  return templating === undefined ? {} : { [TEMPLATING_ANNOTATION]: templating }
}

type PlacementRefs = NonNullable<NewManifestWorkReplicaSet['spec']>['placementRefs']

function withPlacement(refs: PlacementRefs, name: string): PlacementRefs {
  return refs.some((ref) => ref.name === name) ? refs : [...refs, { name }]
}

function writePart(
  client: KubeClient,
  current: readonly ManifestWorkReplicaSet[],
  part: NewManifestWorkReplicaSet,
  call: CallOptions,
): Promise<ManifestWorkReplicaSet> {
  const known = current.find(({ metadata }) => metadata.name === part.metadata.name)
  if (known === undefined) return client.create(ManifestWorkReplicaSet, part, call)
  const patchOf = ({ metadata, spec }: ManifestWorkReplicaSet) => {
    const { labels, annotations } = metadata
    const meta = {
      labels: { ...labels, ...part.metadata.labels },
      annotations: { ...annotations, ...part.metadata.annotations },
    }
    return mergePatchOf(
      { metadata: { labels: labels ?? {}, annotations: annotations ?? {} }, spec: spec ?? {} },
      { metadata: meta, spec: part.spec },
    )
  }
  return patchLocked(client, ManifestWorkReplicaSet, known, patchOf, call)
}

async function whenRolledOut(client: KubeClient, part: ManifestWorkReplicaSet, signal: AbortSignal): Promise<void> {
  const { namespace, name, generation } = part.metadata
  const isRolledOut = ({ status }: ManifestWorkReplicaSet) => {
    const condition = findCondition(status?.conditions, ReplicaSetCondition.PlacementRolledOut)
    return condition?.status === 'True' && condition.observedGeneration === generation
  }
  const watch = (informers: Informers, onChange: () => void) => {
    const sets = informers.of(ManifestWorkReplicaSet, { namespace, fieldSelector: `metadata.name=${name}` })
    sets.subscribe(onChange)
    return () => sets.list().find(isRolledOut)
  }
  try {
    await awaiting(client, watch, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    throw new OperationError(
      `replica set ${namespace}/${name} is not rolled out yet, and has to be before the rest of it changes: see its ` +
        'condition PlacementRolledOut, and repeat this when it is',
    )
  }
}

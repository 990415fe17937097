import {
  type EmbeddedObject,
  ManagedCluster,
  ManifestWork,
  type NewManifestWork,
  partChanges,
  sealForCluster,
  splitWork,
  WorkCondition,
} from '@orrery/api'
import { type CallOptions, findCondition, type JsonObject, type KubeClient, patchLocked } from '@orrery/kube'
import { Namespace } from '@orrery/kube/kinds'
import { awaiting } from './awaiting.js'
import { OperationError } from './operationerror.js'
import { alreadyThere, type WorkChange, type WorkDraft } from './workdraft.js'
import { areAllThere, partsOfWork, watchParts } from './workparts.js'

/** How long the parts of a work may take to be applied when manifests move between them. */
const MOVING_MS = 300_000

/**
 * Hands a work to a cluster. One that is too large becomes several, and several become others so that nothing is deleted
 * that only moves between them: for that the cluster has to have applied the one before the other changes. How objects are
 * treated, and what happens when the work goes, stays as it was.
 */
export async function createWork(
  client: KubeClient,
  cluster: string,
  { name, manifests, overwrite = false, seal = false }: WorkDraft,
  call: CallOptions = {},
): Promise<WorkChange> {
  const current = await partsOfWork(client, cluster, name, call)
  if (current.length === 0) await theCluster(client, cluster, call)
  const plain = manifests as EmbeddedObject[]
  const workload = {
    manifests: seal ? sealForCluster(plain, await client.get(ManagedCluster, { name: cluster }, call)) : plain,
  }
  const spec = { ...current[0]?.spec, workload }
  const wanted = splitWork({ metadata: { namespace: cluster, name }, spec }, { current })
  const { first, afterwards, removed } = partChanges(current, wanted)
  if (first.length + afterwards.length + removed.length === 0) return 'unchanged'
  if (current.length > 0 && !overwrite) throw alreadyThere(`work ${name} of cluster ${cluster}`)
  const write = (part: NewManifestWork) => writePart(client, current, part, call)
  const written = await Promise.all(first.map(write))
  if (afterwards.length + removed.length > 0) {
    const signal = call.signal ?? AbortSignal.timeout(MOVING_MS)
    // What another attempt wrote may not be applied yet, either.
    const changing = new Set([...first, ...afterwards, ...removed].map(({ metadata }) => metadata.name))
    const kept = current.filter(({ metadata }) => !changing.has(metadata.name))
    await Promise.all([...written, ...kept].map((part) => whenApplied(client, part, signal)))
    await Promise.all(afterwards.map(write))
    await Promise.all(removed.map(({ metadata }) => client.ensureDeleted(ManifestWork, metadata, call)))
  }
  return current.length === 0 ? 'created' : 'changed'
}

async function theCluster(client: KubeClient, name: string, call: CallOptions): Promise<void> {
  if ((await client.find(Namespace, { name }, call)) !== undefined) return
  throw new OperationError(`the hub has no cluster ${name}, or has not let it in: see \`orrery get clusters\``)
}

function writePart(
  client: KubeClient,
  current: readonly ManifestWork[],
  part: NewManifestWork,
  call: CallOptions,
): Promise<ManifestWork> {
  const known = current.find(({ metadata }) => metadata.name === part.metadata.name)
  if (known === undefined) return client.create(ManifestWork, part, call)
  const { labels = {}, annotations = {} } = part.metadata
  const patch = { metadata: { labels, annotations }, spec: part.spec } as unknown as JsonObject
  return patchLocked(client, ManifestWork, known, () => patch, call)
}

async function whenApplied(client: KubeClient, part: ManifestWork, signal: AbortSignal): Promise<void> {
  const { namespace, name, generation } = part.metadata
  const tried = ({ status }: ManifestWork) => {
    const applied = findCondition(status?.conditions, WorkCondition.Applied)
    return applied?.observedGeneration === generation ? applied : undefined
  }
  const { status } = await awaiting(
    client,
    (informers, onChange) => {
      const works = informers.of(ManifestWork, { namespace, fieldSelector: `metadata.name=${name}` })
      works.subscribe(onChange)
      return () => works.list().map(tried)[0]
    },
    signal,
  )
  if (status === 'True') return
  throw new OperationError(
    `work ${name} of cluster ${namespace} could not be applied, and has to be before the rest of it changes: ` +
      'see `orrery get works`, put it right, and repeat this',
  )
}

/** The work, or its parts, as soon as the cluster has tried to apply all that it wants now. */
export function whenWorkTried(
  client: KubeClient,
  cluster: string,
  name: string,
  signal: AbortSignal,
): Promise<ManifestWork[]> {
  return awaiting(
    client,
    (informers, onChange) => {
      const partsNow = watchParts(informers, cluster, name, onChange)
      return () => {
        const parts = partsNow()
        return areAllThere(parts) && parts.every(isTried) ? parts : undefined
      }
    },
    signal,
  )
}

function isTried({ metadata, status }: ManifestWork): boolean {
  return findCondition(status?.conditions, WorkCondition.Applied)?.observedGeneration === metadata.generation
}

/** Takes a work from a cluster, in all its parts, with what it put there. False when there was none. */
export async function deleteWork(
  client: KubeClient,
  cluster: string,
  name: string,
  call: CallOptions = {},
): Promise<boolean> {
  const parts = await partsOfWork(client, cluster, name, call)
  await Promise.all(parts.map(({ metadata }) => client.ensureDeleted(ManifestWork, metadata, call)))
  return parts.length > 0
}

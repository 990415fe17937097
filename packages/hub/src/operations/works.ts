import {
  type EmbeddedObject,
  ManagedCluster,
  ManifestWork,
  type NewManifestWork,
  partChanges,
  splitWork,
  WorkCondition,
} from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import { findCondition, isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { callOf } from './call.js'
import { type MoveOptions, whileMoving } from './moving.js'
import { clusterNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { writePart } from './part-writing.js'
import { type Prepared, prepareAll, writeAll } from './prepared.js'
import { sealForCluster } from './sealing.js'
import { refuseUnsealing } from './unsealing.js'
import { alreadyThere, type WorkChange, type WorkDraft } from './work-draft.js'
import { partsOfWork } from './workparts.js'

/** Creates or updates a work of a cluster. */
export async function createWork(
  client: KubeClient,
  cluster: string,
  draft: WorkDraft,
  options: MoveOptions = {},
): Promise<WorkChange> {
  return (await prepareWork(client, cluster, draft, options)).write()
}

/**
 * Creates or updates a work of several clusters. All are checked first, by a dry run on the hub as well: if one of them cannot
 * have the work, nothing is written.
 */
export async function createWorks(
  client: KubeClient,
  clusters: readonly string[],
  draft: WorkDraft,
  options: MoveOptions & { readonly onWritten?: (cluster: string, change: WorkChange) => void } = {},
): Promise<void> {
  const { onWritten, ...move } = options
  const dryRun = clusters.length > 1
  const prepared = await prepareAll(clusters, (cluster) => prepareWork(client, cluster, draft, { ...move, dryRun }))
  await writeAll(prepared, (change, at) => onWritten?.(clusters[at] as string, change))
}

interface PrepareOptions extends MoveOptions {
  /** Whether to run a dry run on the hub first. Default false. */
  readonly dryRun?: boolean
}

/**
 * Prepares a work of a cluster. One that is too large is split into parts, which change in an order that deletes no object that
 * only moves between them: the cluster has to apply the part that gets it before the other one changes. Update strategies and
 * delete options stay as they are.
 */
async function prepareWork(
  client: KubeClient,
  cluster: string,
  { name, manifests, overwrite = false, seal = false }: WorkDraft,
  options: PrepareOptions = {},
): Promise<Prepared<WorkChange>> {
  const call = callOf(options)
  const current = await partsOfWork(client, cluster, name, call)
  if (current.length === 0) await requireCluster(client, cluster, call)
  const plain = manifests as EmbeddedObject[]
  const workload = {
    manifests: seal ? sealForCluster(plain, await client.get(ManagedCluster, { name: cluster }, call)) : plain,
  }
  const spec = { ...current[0]?.spec, workload }
  const wanted = splitWork({ metadata: { namespace: cluster, name }, spec }, { current })
  const { first, afterwards, removed } = partChanges(current, wanted)
  if (first.length + afterwards.length + removed.length === 0) return { write: async () => 'unchanged' }
  const what = `work ${name} of cluster ${cluster}`
  if (current.length > 0 && !overwrite) throw alreadyThere(what)
  const stored = current.flatMap(({ spec: known }) => known?.workload?.manifests ?? [])
  refuseUnsealing(what, stored, workload.manifests, 'seal them again with --seal')
  if (options.dryRun === true) {
    await Promise.all(first.map((part) => writePart(client, ManifestWork, current, part, { ...call, dryRun: true })))
  }
  return { write: () => writeParts(client, cluster, name, { current, first, afterwards, removed }, options) }
}

interface PartChanges extends ReturnType<typeof partChanges> {
  readonly current: readonly ManifestWork[]
}

async function writeParts(
  client: KubeClient,
  cluster: string,
  name: string,
  { current, first, afterwards, removed }: PartChanges,
  options: MoveOptions,
): Promise<WorkChange> {
  const call = callOf(options)
  const write = (part: NewManifestWork) => writePart(client, ManifestWork, current, part, call)
  const written = await Promise.all(first.map(write))
  if (afterwards.length + removed.length > 0) {
    // Parts that an earlier attempt wrote may not be applied yet either.
    const changing = new Set([...first, ...afterwards, ...removed].map(({ metadata }) => metadata.name))
    const kept = current.filter(({ metadata }) => !changing.has(metadata.name))
    const late =
      `cluster ${cluster} has not applied the parts of work ${name} yet, and has to before the rest of it changes: see ` +
      '`orrery get works` and `orrery get clusters`, and repeat this'
    await whileMoving(options, late, async (signal) => {
      await Promise.all([...written, ...kept].map((part) => whenApplied(client, part, signal)))
    })
    await Promise.all(afterwards.map(write))
    await Promise.all(removed.map(({ metadata }) => client.ensureDeleted(ManifestWork, metadata, call)))
  }
  return current.length === 0 ? 'created' : 'changed'
}

/** Throws if there is no such accepted cluster. Users who may not read clusters are not checked. */
async function requireCluster(client: KubeClient, name: string, call: CallOptions): Promise<void> {
  const [cluster, namespace] = await Promise.all([
    unlessForbidden(client.find(ManagedCluster, { name }, call)),
    unlessForbidden(client.find(Namespace, { name }, call)),
  ])
  if (cluster !== undefined && namespace !== undefined) return
  throw new OperationError(
    cluster === undefined
      ? clusterNotFound(name)
      : `cluster ${name} is not accepted: run \`orrery accept --clusters ${name}\``,
  )
}

async function unlessForbidden<T>(found: Promise<T>): Promise<T | 'forbidden'> {
  return found.catch((error: unknown) => {
    if (isForbidden(error)) return 'forbidden'
    throw error
  })
}

async function whenApplied(client: KubeClient, { metadata }: ManifestWork, signal: AbortSignal): Promise<void> {
  const { namespace, name, generation = 0 } = metadata
  const { status } = await awaiting(
    client,
    (informers, onChange) => {
      const workNow = watchOne(informers, ManifestWork, metadata, onChange)
      return () => {
        // The informer may be older than the write.
        const applied = findCondition(workNow()?.status?.conditions, WorkCondition.Applied)
        return (applied?.observedGeneration ?? 0) >= generation ? applied : undefined
      }
    },
    signal,
  )
  if (status === 'True') return
  throw new OperationError(
    `work ${name} of cluster ${namespace} could not be applied, and has to be before the rest of it changes: ` +
      'see `orrery get works`, put it right, and repeat this',
  )
}

/** Deletes a work of a cluster, in all its parts, with its objects there. False if there was none. */
export async function deleteWork(
  client: KubeClient,
  cluster: string,
  name: string,
  call: CallOptions = {},
): Promise<boolean> {
  const parts = await partsOfWork(client, cluster, name, call)
  await deleteParts(client, parts, call)
  return parts.length > 0
}

/** How to delete a work of several clusters. */
export interface DeleteWorksOptions extends CallOptions {
  /** Whether to ignore clusters without the work. Default false: then nothing is deleted. */
  readonly ignoreNotFound?: boolean
}

/** Deletes a work of several clusters, unless one of them does not have it. Returns the clusters that had it. */
export async function deleteWorks(
  client: KubeClient,
  clusters: readonly string[],
  name: string,
  options: DeleteWorksOptions = {},
): Promise<string[]> {
  const call = callOf(options)
  const found = await Promise.all(
    clusters.map(async (cluster) => ({ cluster, parts: await partsOfWork(client, cluster, name, call) })),
  )
  const without = found.filter(({ parts }) => parts.length === 0).map(({ cluster }) => cluster)
  if (without.length > 0 && options.ignoreNotFound !== true) {
    const unchanged = clusters.length === 1 ? [] : ['Nothing was changed.']
    throw new OperationError([...(await whyWithout(client, without, name, call)), ...unchanged].join('\n'))
  }
  const having = found.filter(({ parts }) => parts.length > 0)
  await Promise.all(having.map(({ parts }) => deleteParts(client, parts, call)))
  return having.map(({ cluster }) => cluster)
}

/** Why clusters do not have a work: the cluster or the work does not exist. */
async function whyWithout(
  client: KubeClient,
  clusters: readonly string[],
  work: string,
  call: CallOptions,
): Promise<string[]> {
  const found = await Promise.all(
    clusters.map(async (name) => (await unlessForbidden(client.find(ManagedCluster, { name }, call))) !== undefined),
  )
  const known = clusters.filter((_, index) => found[index] === true)
  const unknown = clusters.filter((_, index) => found[index] === false)
  return [
    ...unknown.map((name) => clusterNotFound(name)),
    ...(known.length === 0 ? [] : [`work ${work} does not exist on ${known.join(', ')}`]),
  ]
}

async function deleteParts(client: KubeClient, parts: readonly ManifestWork[], call: CallOptions): Promise<void> {
  await Promise.all(parts.map(({ metadata }) => client.ensureDeleted(ManifestWork, metadata, call)))
}

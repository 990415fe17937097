import { createHash } from 'node:crypto'
import type { AppliedManifestWork, AppliedResource, ManifestResourceMeta, ManifestWork } from '@orrery/api'
import type { KubeObject, OwnerReference } from '@orrery/kinds'
import { isNotFound, keyOf, StatusError } from '@orrery/kinds/values'
import type { DynamicObject } from '@orrery/kube/discovery'
import { SealError } from '@orrery/kube/seal'
import { semanticEqual } from '@orrery/kube/write'
import { inParallel } from '../../parallel.js'
import { ownerOf, writeAppliedStatus } from '../applied-work/applied-work.js'
import { removeResources } from '../applied-work/removal.js'
import { appliedResource, refOfResource, resourceKey, sortedResources } from '../applied-work/resources.js'
import { applyManifest } from '../apply/apply.js'
import { desiredObject } from '../apply/desired.js'
import { lacksNamespace, losesNamespace } from '../apply/namespace-loss.js'
import { APPLIED, failed, unusable } from '../apply/outcome.js'
import type { ResourceCache } from '../apply/resource-cache.js'
import { ApplyConflict } from '../apply/serverside.js'
import type { WorkContext } from '../context.js'
import type { ExecutorCheck } from '../executor/executor.js'
import { NotAllowedError } from '../executor/not-allowed.js'
import { IgnoreFieldError } from '../ignore/path.js'
import type { ManifestOutcome } from '../outcomes.js'
import { OwnSecretError } from '../own-secrets.js'
import { type PlannedManifest, planManifest, readManifests, type UnusableManifest } from '../plan/manifest.js'
import { type WatchedRef, watchedKey } from '../watched/types.js'

/** What the applier needs besides the context. */
export interface ApplierTools {
  readonly resourceCache: ResourceCache
  readonly executors: ExecutorCheck
  /** Objects that works wait for besides their own, by work. */
  readonly awaited: Map<string, readonly WatchedRef[]>
}

/** The result of applying a work, besides its outcome. */
export interface Applied {
  /** Whether a manifest is of a kind that the cluster does not serve. */
  readonly lacksKinds: boolean
  /** When to reconcile again, by the clock's elapsed time, for changes that no watch reports. */
  readonly again: number
  /** Errors that a retry may solve. */
  readonly failures: readonly string[]
}

/** The result of one manifest. */
interface Result {
  readonly manifest: PlannedManifest
  readonly outcome: ManifestOutcome
  readonly object: DynamicObject | undefined
  readonly error?: unknown
}

/** How often to check again whether an executor has a missing permission. */
const NOT_ALLOWED_MILLISECONDS = 60_000
/** How often objects that are being deleted are checked, in case no watch reports their end. */
const PENDING_MILLISECONDS = 30_000

/**
 * Applies a work: its manifests in order, then the removal of objects that it no longer has, then the
 * AppliedManifestWork.
 */
export class WorkApplier {
  readonly #context: WorkContext
  readonly #tools: ApplierTools
  readonly #work: ManifestWork
  readonly #appliedWork: AppliedManifestWork
  readonly #owner: OwnerReference
  readonly #key: string
  /** Identifies the spec of the work and the owner. */
  readonly #what: string
  readonly #signal: AbortSignal
  #again = Number.POSITIVE_INFINITY

  constructor(
    context: WorkContext,
    tools: ApplierTools,
    work: ManifestWork,
    appliedWork: AppliedManifestWork,
    signal: AbortSignal,
  ) {
    this.#context = context
    this.#tools = tools
    this.#work = work
    this.#appliedWork = appliedWork
    this.#owner = ownerOf(appliedWork)
    this.#key = keyOf(work.metadata)
    this.#what = `${work.metadata.uid}/${digestOf(work.spec)}/${appliedWork.metadata.uid}`
    this.#signal = signal
  }

  async run(): Promise<Applied> {
    const { named, unusable: broken } = readManifests(this.#work)
    const plan = (manifests: typeof named) =>
      Promise.all(
        manifests.map((manifest) => planManifest(manifest, this.#work, this.#context.discovery, this.#signal)),
      )
    const first = split(await plan(named))
    await this.#watch(first.planned)
    let results = await this.#applyInOrder(first.planned)
    let lacking = first.unusable
    if (lacking.length > 0 && first.planned.some(({ kind }) => kind.kind === 'CustomResourceDefinition')) {
      // The kinds may be served now.
      const ordinals = new Set(lacking.map(({ resourceMeta }) => resourceMeta.ordinal))
      const second = split(await plan(named.filter(({ ordinal }) => ordinals.has(ordinal))))
      await this.#watch([...first.planned, ...second.planned])
      results = [...results, ...(await this.#applyInOrder(second.planned))]
      lacking = second.unusable
    }
    const unapplied = [...broken, ...lacking]
    this.#report(results, unapplied)
    const failures = this.#failuresOf(results, unapplied)
    failures.push(...(await this.#removeOthers(results, unapplied.length > 0)))
    return { lacksKinds: lacking.length > 0, again: this.#again, failures }
  }

  #now(): number {
    return this.#context.clock.elapsed()
  }

  #lookAgainAfter(milliseconds: number): void {
    this.#again = Math.min(this.#again, this.#now() + milliseconds)
  }

  /** Watches replace a read of each object. Objects that were applied before stay watched until they are gone. */
  async #watch(manifests: readonly PlannedManifest[]): Promise<void> {
    const refs = manifests.map(({ ref }) => ref)
    const former = (this.#appliedWork.status?.appliedResources ?? []).map(refOfResource)
    // Awaited objects stay watched: a new watch would report them as a change and wake this controller in a loop.
    const awaited = this.#tools.awaited.get(this.#key) ?? []
    this.#context.watched.want(this.#key, [...refs, ...former, ...awaited])
    await this.#context.watched.whenKnown(refs, this.#signal)
  }

  /** One rank after the other; the manifests of a rank run in parallel, several at a time. */
  async #applyInOrder(manifests: readonly PlannedManifest[]): Promise<Result[]> {
    const results: Result[] = []
    for (let begin = 0; begin < manifests.length; ) {
      const { rank } = manifests[begin] as PlannedManifest
      let end = begin
      while (manifests[end]?.rank === rank) end++
      results.push(...(await inParallel(manifests.slice(begin, end), (manifest) => this.#apply(manifest))))
      begin = end
    }
    return results
  }

  async #apply(manifest: PlannedManifest): Promise<Result> {
    const { resourceMeta, ref } = manifest
    let revealed = manifest.object
    try {
      revealed = await this.#context.reveal(manifest.object)
      const object = await this.#applyUnlessSo(manifest, desiredObject(revealed))
      const version = object && { resourceVersion: object.metadata.resourceVersion }
      return { manifest, outcome: { resourceMeta, ...APPLIED, ...version }, object }
    } catch (error) {
      this.#signal.throwIfAborted()
      if (isMissingPath(error)) this.#context.discovery.invalidate()
      const object = this.#context.watched.get(ref)
      return { manifest, outcome: this.#outcomeOf(resourceMeta, revealed, error), object, error }
    }
  }

  async #applyUnlessSo(manifest: PlannedManifest, desired: KubeObject): Promise<DynamicObject | undefined> {
    const { spoke: client, watched, ownSecrets } = this.#context
    const { resourceCache, executors } = this.#tools
    const { ref, strategy } = manifest
    ownSecrets.check(ref)
    const current = watched.get(ref)
    if (manifest.isComplete) return current
    const key = watchedKey(ref)
    const isUnchanged = current !== undefined && resourceCache.isUnchanged(this.#key, key, this.#what, current)
    const isSettled = isUnchanged || strategy.type === 'ReadOnly'
    await executors.check(this.#work.spec?.executor, manifest, desired, isSettled, this.#signal)
    if (isUnchanged || strategy.type === 'ReadOnly') return current
    const pausedUntil = resourceCache.pausedUntil(this.#key, key, this.#what)
    if (current !== undefined && pausedUntil > this.#now()) {
      this.#again = Math.min(this.#again, pausedUntil)
      return current
    }
    const isKnown = watched.isKnown(ref)
    const signal = this.#signal
    const { type } = strategy
    const executor = this.#work.spec?.executor
    const checkDelete = () => executors.checkDelete(executor, manifest, signal)
    const request = { manifest, desired, owner: this.#owner, current, isKnown, client, signal, checkDelete }
    await executors.checkWrite(executor, manifest, (asExecutor) =>
      // The agent sets the owner with its own permissions.
      applyManifest(type, {
        ...request,
        manifest: { ...manifest, isOwned: false },
        client: asExecutor,
        dryRun: true,
      }),
    )
    const object = await applyManifest(type, request)
    resourceCache.applied(this.#key, key, this.#what, object, current)
    watched.report(ref, object)
    return object
  }

  /** If a server does not answer for a moment, the earlier outcome stays. */
  #outcomeOf(resourceMeta: ManifestResourceMeta, manifest: KubeObject, error: unknown): ManifestOutcome {
    const { uid, generation } = this.#work.metadata
    const before = this.#context.outcomes.get(this.#work.metadata)
    const outcome = before?.manifests[resourceMeta.ordinal]
    const stands = before?.uid === uid && before.generation === generation && outcome?.status === 'True'
    if (stands && isPassing(error)) return outcome
    return { resourceMeta, ...failed(error, resourceMeta, manifest) }
  }

  #report(results: readonly Result[], unapplied: readonly UnusableManifest[]): void {
    const outcomes = results.map(({ outcome }) => outcome)
    for (const { resourceMeta, problem } of unapplied) outcomes.push({ resourceMeta, ...unusable(problem) })
    const manifests = outcomes.sort((a, b) => a.resourceMeta.ordinal - b.resourceMeta.ordinal)
    const { uid, generation = 0 } = this.#work.metadata
    this.#context.outcomes.set(this.#work.metadata, { uid, generation, manifests })
  }

  #failuresOf(results: readonly Result[], unapplied: readonly UnusableManifest[]): string[] {
    const failures = unapplied.map(({ resourceMeta, problem }) => `manifest ${resourceMeta.ordinal + 1}: ${problem}`)
    for (const { error, outcome } of results) {
      if (error instanceof NotAllowedError) this.#lookAgainAfter(NOT_ALLOWED_MILLISECONDS)
      else if (isLasting(error)) continue
      else if (error !== undefined) failures.push(`manifest ${outcome.resourceMeta.ordinal + 1}: ${outcome.message}`)
    }
    return failures
  }

  /**
   * Removes objects that the work no longer has, and updates the AppliedManifestWork. Nothing is removed while the
   * object of a manifest is unknown, since it might be one of them.
   */
  async #removeOthers(results: readonly Result[], isUnclear: boolean): Promise<string[]> {
    const before = this.#appliedWork.status?.appliedResources ?? []
    const uids = new Map(before.map((resource) => [resourceKey(resource), resource.uid]))
    const present = new Map<string, AppliedResource>()
    for (const { manifest, object } of results) {
      const uid = object?.metadata.uid ?? uids.get(resourceKey(appliedResource(manifest.ref, '')))
      if (uid === undefined) continue
      const resource = appliedResource(manifest.ref, uid)
      present.set(resourceKey(resource), resource)
    }
    const wanted = new Set(results.map(({ manifest: { ref } }) => resourceKey(appliedResource(ref, ''))))
    const others = before.filter((resource) => !wanted.has(resourceKey(resource)))
    const { discovery, watched, ownSecrets, spoke: client } = this.#context
    const options = { client, discovery, watched, ownSecrets, signal: this.#signal }
    const removal = isUnclear ? { pending: others, failures: [] } : await removeResources(others, this.#owner, options)
    const left = [...removal.pending, ...removal.failures.map(({ resource }) => resource)]
    const appliedResources = sortedResources([...present.values(), ...left])
    if (!semanticEqual(before, appliedResources)) {
      await writeAppliedStatus(
        this.#context,
        this.#appliedWork,
        (status) => ({ ...status, appliedResources }),
        this.#signal,
      )
    }
    const refs = results.map(({ manifest }) => manifest.ref)
    const awaited = results.flatMap(awaitedBy)
    if (awaited.length === 0) this.#tools.awaited.delete(this.#key)
    else this.#tools.awaited.set(this.#key, awaited)
    watched.want(this.#key, [...refs, ...left.map(refOfResource), ...awaited])
    this.#tools.resourceCache.keepOnly(this.#key, new Set(refs.map(watchedKey)))
    if (removal.pending.length > 0 && !isUnclear) this.#lookAgainAfter(PENDING_MILLISECONDS)
    return removal.failures.map(({ resource, error }) => `${resourceKey(resource)}: ${String(error)}`)
  }
}

/** What a manifest that was not applied waits for, if it can be watched: its namespace to be created or deleted. */
function awaitedBy({ manifest: { ref }, error }: Result): WatchedRef[] {
  if (!lacksNamespace(error) && !losesNamespace(error)) return []
  return [{ group: '', version: 'v1', resource: 'namespaces', namespace: '', name: ref.namespace }]
}

/** Reports that nothing of a work can be applied. */
export function refuseWork(work: ManifestWork, problem: string, { outcomes }: WorkContext): void {
  const { uid, generation = 0 } = work.metadata
  const manifests = Array.from(work.spec?.workload?.manifests ?? [], (_, ordinal) => ({
    resourceMeta: { ordinal },
    ...unusable(problem),
  }))
  outcomes.set(work.metadata, { uid, generation, manifests })
}

/** The generation is not enough: a hub that was restored from a backup issues it again. */
function digestOf(spec: ManifestWork['spec']): string {
  return createHash('md5')
    .update(JSON.stringify(spec ?? null))
    .digest('base64')
}

function split(plans: readonly (PlannedManifest | UnusableManifest)[]): {
  planned: PlannedManifest[]
  unusable: UnusableManifest[]
} {
  const planned: PlannedManifest[] = []
  const unusable: UnusableManifest[] = []
  for (const plan of plans) {
    if ('problem' in plan) unusable.push(plan)
    else planned.push(plan)
  }
  return { planned, unusable }
}

/** Whether there was no answer, or one that asks to retry later. */
function isPassing(error: unknown): boolean {
  if (error instanceof StatusError) return error.code === 429 || error.code >= 500
  return !(error instanceof NotAllowedError) && !isLasting(error)
}

/** Whether only a change of the work or the object helps. Both wake the controller. */
function isLasting(error: unknown): boolean {
  return (
    error instanceof ApplyConflict ||
    error instanceof IgnoreFieldError ||
    error instanceof SealError ||
    error instanceof OwnSecretError
  )
}

/** Whether the kind is no longer served: a missing object would be named in the answer. */
function isMissingPath(error: unknown): boolean {
  return error instanceof StatusError && isNotFound(error) && (error.status.details?.name ?? '') === ''
}

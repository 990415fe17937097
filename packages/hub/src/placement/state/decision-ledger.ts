import { type ClusterDecision, PLACEMENT_LABEL, type PlacementDecision } from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import { type Change, isOlder } from '@orrery/kube/informer'
import type { CurrentDecision } from '../scheduling/index.js'

/** The decisions of one placement. */
interface Account {
  /** The newest known PlacementDecisions, by name. */
  readonly objects: Map<string, PlacementDecision>
  /** The uids of those that we have deleted and informers still show, by name. */
  readonly deleted: Map<string, string>
  /** The decisions that are being written, while they are. */
  assumed: readonly ClusterDecision[] | undefined
  /** Whether an object disappeared while decisions were written. */
  isIncomplete: boolean
  /** The decisions that count. */
  decisions: readonly ClusterDecision[]
}

const NO_OBJECTS: ReadonlyMap<string, PlacementDecision> = new Map()

/**
 * The decisions of all placements, and how many each cluster has. It knows our own writes before informers do: the next
 * placement counts the decisions of the one before, as if placements were scheduled and written one after the other.
 */
export class DecisionLedger {
  readonly #accounts = new Map<string, Account>()
  readonly #counts = new Map<string, number>()
  /** How many clusters have this number of decisions. The last item is not 0. */
  readonly #clustersWith: number[] = [0]

  /** The PlacementDecisions of a placement, by name. */
  objects(placement: string): ReadonlyMap<string, PlacementDecision> {
    return this.#accounts.get(placement)?.objects ?? NO_OBJECTS
  }

  /** The current decisions of a placement, by cluster: those that are being written, or those that exist. */
  decided(placement: string): Map<string, CurrentDecision> {
    const decisions = this.#accounts.get(placement)?.decisions ?? []
    return new Map(decisions.map(({ clusterName, reason, score }) => [clusterName, { reason, score }]))
  }

  /** Whether a placement has a decision for a cluster. */
  selects(placement: string, cluster: string): boolean {
    return this.#accounts.get(placement)?.decisions.some(({ clusterName }) => clusterName === cluster) ?? false
  }

  /** The number of decisions for a cluster, of all placements. */
  count(cluster: string): number {
    return this.#counts.get(cluster) ?? 0
  }

  /** The highest number of decisions that a cluster has, without those of one placement. */
  highestWithout(placement: string): number {
    const own = this.#accounts.get(placement)?.decisions ?? []
    for (const { clusterName } of own) this.#add(clusterName, -1)
    const highest = this.#clustersWith.length - 1
    for (const { clusterName } of own) this.#add(clusterName, 1)
    return highest
  }

  /** Whether a placement has decisions for exactly these clusters. */
  isDecided(placement: string, decisions: readonly ClusterDecision[]): boolean {
    const names = new Set(this.#accounts.get(placement)?.decisions.map(({ clusterName }) => clusterName))
    return names.size === decisions.length && decisions.every(({ clusterName }) => names.has(clusterName))
  }

  /** Counts these decisions for a placement while they are written. Changes of its objects are our own until `settle`. */
  assume(placement: string, decisions: readonly ClusterDecision[]): void {
    const account = this.#open(placement)
    account.assumed = decisions
    account.isIncomplete = false
    this.#recount(placement, account)
  }

  /**
   * The write has ended, and what exists counts. Returns whether it is what was assumed. An object without decisions can be
   * missing too.
   */
  settle(placement: string): boolean {
    const account = this.#accounts.get(placement)
    if (account?.assumed === undefined) return true
    const { assumed, isIncomplete } = account
    account.assumed = undefined
    this.#recount(placement, account)
    return !isIncomplete && this.isDecided(placement, assumed)
  }

  /** The result of a write of our own. */
  wrote(object: PlacementDecision): void {
    this.#see(placementKey(object), object)
  }

  /** A deletion of our own. */
  deleted(object: PlacementDecision): void {
    const { name, uid } = object.metadata
    const placement = placementKey(object)
    const account = this.#open(placement)
    account.deleted.set(name, uid)
    account.objects.delete(name)
    this.#recount(placement, account)
  }

  /** A change that an informer shows. Returns the placements whose decisions others have changed. */
  changed({ before, after }: Change<PlacementDecision>): string[] {
    const changed: string[] = []
    const placement = after && placementKey(after)
    const former = before && placementKey(before)
    if (before !== undefined && former !== undefined && former !== placement) {
      if (this.#forget(former, before)) changed.push(former)
    }
    if (after !== undefined && placement !== undefined && this.#see(placement, after)) changed.push(placement)
    return changed
  }

  /** Returns whether others have changed it. */
  #see(placement: string, object: PlacementDecision): boolean {
    const account = this.#open(placement)
    const { name, uid, resourceVersion } = object.metadata
    const known = account.objects.get(name)
    const isStale = known !== undefined && isOlder(resourceVersion, known.metadata.resourceVersion)
    if (isStale || account.deleted.get(name) === uid) return false
    // The object of an informer replaces ours of the same version: it is shared, and smaller.
    account.objects.set(name, object)
    if (known?.metadata.resourceVersion === resourceVersion) return false
    this.#recount(placement, account)
    return account.assumed === undefined
  }

  /** Returns whether others have deleted it. */
  #forget(placement: string, { metadata: { name, uid } }: PlacementDecision): boolean {
    const account = this.#accounts.get(placement)
    if (account === undefined) return false
    if (account.deleted.get(name) === uid) account.deleted.delete(name)
    const isKnown = account.objects.get(name)?.metadata.uid === uid
    if (isKnown) {
      account.objects.delete(name)
      account.isIncomplete = true
    }
    this.#recount(placement, account)
    return isKnown && account.assumed === undefined
  }

  #open(placement: string): Account {
    let account = this.#accounts.get(placement)
    if (account === undefined) {
      account = { objects: new Map(), deleted: new Map(), assumed: undefined, isIncomplete: false, decisions: [] }
      this.#accounts.set(placement, account)
    }
    return account
  }

  #recount(placement: string, account: Account): void {
    const { objects, deleted, assumed } = account
    const before = account.decisions
    if (before === assumed) return
    account.decisions = assumed ?? [...objects.values()].flatMap(({ status }) => status?.decisions ?? [])
    for (const { clusterName } of before) this.#add(clusterName, -1)
    for (const { clusterName } of account.decisions) this.#add(clusterName, 1)
    if (assumed === undefined && objects.size === 0 && deleted.size === 0) this.#accounts.delete(placement)
  }

  #add(cluster: string, difference: 1 | -1): void {
    const before = this.#counts.get(cluster) ?? 0
    const after = before + difference
    if (after === 0) this.#counts.delete(cluster)
    else this.#counts.set(cluster, after)
    const clusters = this.#clustersWith
    if (before > 0) clusters[before] = (clusters[before] ?? 0) - 1
    if (after > 0) clusters[after] = (clusters[after] ?? 0) + 1
    while (clusters.length > 1 && clusters.at(-1) === 0) clusters.pop()
  }
}

/** The placement of a decision, by its label. Decisions without one count too, but for no placement. */
function placementKey({ metadata: { namespace, labels } }: PlacementDecision): string {
  return keyOf({ namespace, name: labels?.[PLACEMENT_LABEL] ?? '' })
}

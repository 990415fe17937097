import { type ClusterDecision, PLACEMENT_LABEL, type PlacementDecision } from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import { type Change, isOlder } from '@orrery/kube/informer'
import { type CurrentDecision, MAX_DECISIONS_PER_OBJECT } from '../scheduling/index.js'

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
  /** The decisions that count, once a caller has asked for them. */
  decisions: readonly ClusterDecision[] | undefined
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
    const decisions = this.#decisions(placement)
    return new Map(decisions.map(({ clusterName, reason, score }) => [clusterName, { reason, score }]))
  }

  /** Whether a placement has a decision for a cluster. */
  selects(placement: string, cluster: string): boolean {
    return this.#decisions(placement).some(({ clusterName }) => clusterName === cluster)
  }

  /** The number of decisions for a cluster, of all placements. */
  count(cluster: string): number {
    return this.#counts.get(cluster) ?? 0
  }

  /** The highest number of decisions that a cluster has, without those of one placement. */
  highestWithout(placement: string): number {
    const own = this.#decisions(placement)
    this.#add(own, -1)
    const highest = this.#clustersWith.length - 1
    this.#add(own, 1)
    return highest
  }

  /** Whether a placement has decisions for exactly these clusters. */
  isDecided(placement: string, decisions: readonly ClusterDecision[]): boolean {
    const names = new Set(this.#decisions(placement).map(({ clusterName }) => clusterName))
    return names.size === decisions.length && decisions.every(({ clusterName }) => names.has(clusterName))
  }

  /** Counts these decisions for a placement while they are written. Changes of its objects are our own until `settle`. */
  assume(placement: string, decisions: readonly ClusterDecision[]): void {
    const account = this.#open(placement)
    this.#add(this.#decisions(placement), -1)
    this.#add(decisions, 1)
    account.assumed = decisions
    account.decisions = decisions
    account.isIncomplete = false
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
    account.decisions = undefined
    this.#add(assumed, -1)
    this.#add(this.#decisions(placement), 1)
    this.#closeIfEmpty(placement, account)
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
    this.#replace(account, name, undefined)
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
    this.#replace(account, name, object)
    return known?.metadata.resourceVersion !== resourceVersion && account.assumed === undefined
  }

  /** Returns whether others have deleted it. */
  #forget(placement: string, { metadata: { name, uid } }: PlacementDecision): boolean {
    const account = this.#accounts.get(placement)
    if (account === undefined) return false
    if (account.deleted.get(name) === uid) account.deleted.delete(name)
    const isKnown = account.objects.get(name)?.metadata.uid === uid
    if (isKnown) {
      this.#replace(account, name, undefined)
      account.isIncomplete = true
    }
    this.#closeIfEmpty(placement, account)
    return isKnown && account.assumed === undefined
  }

  #open(placement: string): Account {
    let account = this.#accounts.get(placement)
    if (account === undefined) {
      account = {
        objects: new Map(),
        deleted: new Map(),
        assumed: undefined,
        isIncomplete: false,
        decisions: undefined,
      }
      this.#accounts.set(placement, account)
    }
    return account
  }

  #closeIfEmpty(placement: string, { objects, deleted, assumed }: Account): void {
    if (assumed === undefined && objects.size === 0 && deleted.size === 0) this.#accounts.delete(placement)
  }

  /** Only the changed object is counted again, since a placement can have many. */
  #replace(account: Account, name: string, object: PlacementDecision | undefined): void {
    const known = account.objects.get(name)
    if (object === undefined) account.objects.delete(name)
    else account.objects.set(name, object)
    account.decisions = undefined
    if (account.assumed !== undefined) return
    if (known !== undefined) this.#add(countedDecisions(known), -1)
    if (object !== undefined) this.#add(countedDecisions(object), 1)
  }

  #decisions(placement: string): readonly ClusterDecision[] {
    const account = this.#accounts.get(placement)
    if (account === undefined) return []
    account.decisions ??= account.assumed ?? [...account.objects.values()].flatMap(countedDecisions)
    return account.decisions
  }

  #add(decisions: readonly ClusterDecision[], difference: 1 | -1): void {
    for (const { clusterName } of decisions) this.#addOne(clusterName, difference)
  }

  #addOne(cluster: string, difference: 1 | -1): void {
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

/** The scheduler never writes more decisions to an object, so others of a larger one do not count. */
function countedDecisions({ status }: PlacementDecision): readonly ClusterDecision[] {
  const decisions = status?.decisions ?? []
  return decisions.length <= MAX_DECISIONS_PER_OBJECT ? decisions : decisions.slice(0, MAX_DECISIONS_PER_OBJECT)
}

/** The placement of a decision, by its label. Decisions without one count too, but for no placement. */
function placementKey({ metadata: { namespace, labels } }: PlacementDecision): string {
  return keyOf({ namespace, name: labels?.[PLACEMENT_LABEL] ?? '' })
}

import { PLACEMENT_LABEL, PlacementDecision } from '@orrery/api'
import { isConditionTrue, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { Informer, Informers } from '@orrery/kube'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Zone } from '../../kinds/zone.js'
import { clusterOf } from '../zones/zone-agents.js'
import { SCHEDULABLE } from '../zones/zone-status.js'

export interface PlacementReference {
  readonly name: string
  readonly namespace?: string
}

/** Resources that something needs. */
export interface Demand {
  readonly cpu?: number | string | undefined
  readonly memory?: number | string | undefined
  readonly storage?: number | string | undefined
}

/** The zones that a Placement selects, best first, or why there is none. */
export type ZoneChoice = { readonly zones: readonly Zone[] } | { readonly problem: string }

/** Chooses zones by name or by Placement. */
export class ZoneChooser {
  readonly #zones: Informer<Zone>
  readonly #decisions: Informer<PlacementDecision>

  constructor(informers: Informers) {
    this.#zones = informers.of(Zone)
    this.#decisions = informers.of(PlacementDecision)
  }

  get zones(): Informer<Zone> {
    return this.#zones
  }

  get decisions(): Informer<PlacementDecision> {
    return this.#decisions
  }

  /** The zone of a name, if new virtual machines can be created there. */
  byName(name: string): ZoneChoice {
    const zone = this.#zones.get({ name })
    if (zone === undefined) return { problem: `zone ${JSON.stringify(name)} does not exist: see "kubectl get zones"` }
    if (!isSchedulable(zone))
      return { problem: `zone ${JSON.stringify(name)} cannot take anything new: ${reasonOf(zone)}` }
    return { zones: [zone] }
  }

  /** The zones of the clusters that a Placement has selected, those with the best scores first. */
  byPlacement({ name, namespace: given }: PlacementReference, own: string): ZoneChoice {
    const namespace = given ?? own
    const what = `placement ${JSON.stringify(`${namespace}/${name}`)}`
    if (namespace !== own && namespace !== SYSTEM_NAMESPACE) {
      return { problem: `${what} cannot be used: use one in ${own} or ${SYSTEM_NAMESPACE}` }
    }
    const decisions = this.#decisions
      .list(namespace)
      .filter(({ metadata }) => metadata.labels?.[PLACEMENT_LABEL] === name)
      .flatMap(({ status }) => status?.decisions ?? [])
    if (decisions.length === 0) return { problem: `${what} has selected no cluster` }
    const byCluster = new Map(this.#zones.list().map((zone) => [clusterOf(zone, zone.metadata.name), zone]))
    const zones = decisions
      .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
      .flatMap(({ clusterName }) => byCluster.get(clusterName) ?? [])
      .filter(isSchedulable)
    return zones.length === 0 ? { problem: `${what} has selected no cluster with a connected agent` } : { zones }
  }
}

/** Whether a zone has room, as far as its agent reports resources. */
export function hasRoom({ status }: Zone, demand: Demand): boolean {
  const { capacity, usage } = status ?? {}
  if (capacity === undefined || usage === undefined) return true
  return (['cpu', 'memory', 'storage'] as const).every((name) => {
    const total = numberOf(capacity[name])
    // A cluster that reports no capacity of a resource says nothing about it.
    return total === 0 || numberOf(demand[name]) <= total - numberOf(usage[name])
  })
}

export function numberOf(quantity: number | string | undefined): number {
  return quantity === undefined ? 0 : quantityToNumber(parseQuantity(String(quantity)))
}

function isSchedulable({ status }: Zone): boolean {
  return isConditionTrue(status?.conditions, SCHEDULABLE)
}

function reasonOf({ status }: Zone): string {
  return status?.conditions?.find(({ type }) => type === SCHEDULABLE)?.message ?? 'its agent has not reported yet'
}

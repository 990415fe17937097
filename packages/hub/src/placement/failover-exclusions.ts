import { PlacementFailover } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { humanDuration, jsonEqual, keyOf } from '@orrery/kinds/values'
import { each, type Informer, type Informers, isBeingDeleted } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import { rulesOf } from './failover-rules.js'
import type { PlacementRef } from './placement-decisions.js'

const BY_PLACEMENT = 'placement'
const NONE: ReadonlyMap<string, string> = new Map()

/** The clusters that failover keeps off placements. */
export class FailoverExclusions {
  readonly #failovers: Informer<PlacementFailover>
  /** The excluded clusters of a version of an object: schedulers ask for every cluster. */
  readonly #excluded = new WeakMap<PlacementFailover, ReadonlyMap<string, string>>()

  constructor(informers: Informers) {
    this.#failovers = informers.of(PlacementFailover)
    this.#failovers.addIndex(BY_PLACEMENT, (failover) => [keyOf(placementOf(failover))])
  }

  /** The excluded clusters of a placement, with the reasons. */
  of(placement: PlacementRef): ReadonlyMap<string, string> {
    const failover = this.activeFor(placement)
    if (failover === undefined) return NONE
    const known = this.#excluded.get(failover)
    if (known !== undefined) return known
    const excluded = excludedBy(failover)
    this.#excluded.set(failover, excluded)
    return excluded
  }

  /** The failover that applies to a placement: the oldest, so that another one cannot change what it protects. */
  activeFor(placement: PlacementRef): PlacementFailover | undefined {
    return activeOf(this.allFor(placement))
  }

  /** All failovers that refer to a placement. */
  allFor(placement: PlacementRef): readonly PlacementFailover[] {
    return this.#failovers.byIndex(BY_PLACEMENT, keyOf(placement))
  }

  /** Wakes a controller for the objects that use a placement, when its excluded clusters may have changed. */
  wakes(usersOf: (placement: PlacementRef) => Iterable<ObjectRef>): Wake {
    return each(this.#failovers, (failover) => usersOf(placementOf(failover)), {
      when: ({ before, after }) => before === undefined || after === undefined || !excludesTheSame(before, after),
    })
  }
}

/** The failover of a placement: the clusters that it excludes, with the reasons, and when they return. */
export interface Exclusions {
  readonly excluded: ReadonlyMap<string, string>
  /** `PlacementFailover web: ClusterHealth above 80 for 5m`. */
  readonly returnCondition?: string
}

/** The excluded clusters of a placement among these failovers of its namespace. */
export function exclusionsAmong(
  failovers: readonly PlacementFailover[],
  { name }: Pick<PlacementRef, 'name'>,
): Exclusions {
  const active = activeOf(failovers.filter(({ spec }) => spec.placementRef.name === name))
  if (active === undefined) return { excluded: NONE }
  const returnCondition = `${PlacementFailover.kind} ${active.metadata.name}: ${returnConditionOf(active)}`
  return { excluded: excludedBy(active), returnCondition }
}

/** `ClusterHealth above 80 for 5m`. */
export function returnConditionOf({ spec }: PlacementFailover): string {
  const { scoreName, returnAbove, returnAfter } = rulesOf(spec)
  return `${scoreName} above ${returnAbove} for ${humanDuration(returnAfter)}`
}

/** The failover that applies, among those of one placement: the oldest. */
export function activeOf(failovers: readonly PlacementFailover[]): PlacementFailover | undefined {
  return failovers
    .filter((one) => !isBeingDeleted(one))
    .reduce<PlacementFailover | undefined>(
      (first, one) => (first === undefined || isOlder(one, first) ? one : first),
      undefined,
    )
}

function excludedBy({ status }: PlacementFailover): ReadonlyMap<string, string> {
  return new Map(status?.excluded?.map(({ clusterName, reason }) => [clusterName, reason]))
}

/** The placement that a failover refers to. */
export function placementOf({ metadata: { namespace = '' }, spec }: PlacementFailover): PlacementRef {
  return { namespace, name: spec.placementRef.name }
}

function isOlder({ metadata: a }: PlacementFailover, { metadata: b }: PlacementFailover): boolean {
  const [created, other] = [Date.parse(a.creationTimestamp ?? ''), Date.parse(b.creationTimestamp ?? '')]
  return created === other ? a.name < b.name : created < other
}

function excludesTheSame(before: PlacementFailover, after: PlacementFailover): boolean {
  return (
    before.spec.placementRef.name === after.spec.placementRef.name &&
    isBeingDeleted(before) === isBeingDeleted(after) &&
    jsonEqual(before.status?.excluded ?? [], after.status?.excluded ?? [])
  )
}

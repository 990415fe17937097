import type { Deployment, PodTemplateSpec, ReplicaSet } from '@orrery/kinds'
import { semanticEqual } from '@orrery/kube/write'
import { REVISION, TEMPLATE_HASH } from './names.js'

/** A Deployment's ReplicaSets: the one that has its template, if there is one, and those that had it before. */
export interface Rollout {
  readonly current: ReplicaSet | undefined
  /** Oldest first. */
  readonly former: readonly ReplicaSet[]
}

export function rolloutOf(deployment: Deployment, sets: readonly ReplicaSet[]): Rollout {
  const ordered = sets.toSorted(byAge)
  const current = ordered.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template))
  return { current, former: ordered.filter((set) => set !== current) }
}

export function allOf({ current, former }: Rollout): ReplicaSet[] {
  return current === undefined ? [...former] : [...former, current]
}

/** Whether pods would be the same, apart from the hash that tells ReplicaSets apart. */
export function isSameTemplate(one: PodTemplateSpec | undefined, other: PodTemplateSpec): boolean {
  return one !== undefined && semanticEqual(withoutHash(one), withoutHash(other))
}

function withoutHash({ metadata, spec }: PodTemplateSpec): object {
  const { [TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {}
  return { metadata: { ...metadata, labels }, spec }
}

/** Oldest first, and by name those of the same second. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return (
    Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  )
}

/** As big as Kubernetes lets it be, which is more than a number holds; 0 for one that cannot be read. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[REVISION] ?? ''
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n
}

/** The lowest first. */
export function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [one, other] = [revisionOf(a), revisionOf(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

export function sizeOf({ spec }: ReplicaSet): number {
  return spec.replicas ?? 1
}

export function isRunningSome(set: ReplicaSet): boolean {
  return sizeOf(set) > 0
}

export function total(sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number): number {
  return sets.reduce((sum, set) => sum + count(set), 0)
}

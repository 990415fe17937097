import type { Deployment, PodTemplateSpec, ReplicaSet } from '@orrery/kinds'
import { semanticEqual } from '@orrery/kube/write'
import { semanticDigest } from '../hash.js'
import { REVISION, TEMPLATE_HASH } from './names.js'

/** The ReplicaSets of a Deployment: the one with the current template, if any, and those of earlier templates. */
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

/** Returns whether two templates are equal apart from the `pod-template-hash` label. */
export function isSameTemplate(one: PodTemplateSpec | undefined, other: PodTemplateSpec): boolean {
  return one !== undefined && digestOf(one) === digestOf(other) && semanticEqual(withoutHash(one), withoutHash(other))
}

const digests = new WeakMap<PodTemplateSpec, string>()

/** A Deployment can have hundreds of large ReplicaSets: comparing the templates of all in each sync takes seconds. */
function digestOf(template: PodTemplateSpec): string {
  let digest = digests.get(template)
  if (digest === undefined) {
    digest = semanticDigest(withoutHash(template))
    digests.set(template, digest)
  }
  return digest
}

function withoutHash({ metadata, spec }: PodTemplateSpec): object {
  const { [TEMPLATE_HASH]: _, ...labels } = metadata?.labels ?? {}
  return { metadata: { ...metadata, labels }, spec }
}

/** Sorts by creation time, then by name. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  return (
    Date.parse(a.metadata.creationTimestamp) - Date.parse(b.metadata.creationTimestamp) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  )
}

/** Returns the revision as a bigint, since Kubernetes allows 64 bits; 0 if it is invalid. */
export function revisionOf({ metadata }: ReplicaSet): bigint {
  const text = metadata.annotations?.[REVISION] ?? ''
  return /^\d{1,19}$/.test(text) ? BigInt(text) : 0n
}

/** Sorts by revision, lowest first. */
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

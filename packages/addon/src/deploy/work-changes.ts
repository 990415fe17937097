import {
  CONFIG_SPEC_HASH_ANNOTATION,
  type ManifestWork,
  type NewManifestWork,
  partChanges,
  WorkCondition,
} from '@orrery/api'
import { findCondition } from '@orrery/kinds/values'
import type { Manifest } from '../agent-addon.js'
import { identityOf } from './manifests.js'

/** The next writes for the works of an add-on. */
export interface WorkChanges {
  readonly write: readonly NewManifestWork[]
  readonly remove: readonly ManifestWork[]
}

/**
 * The writes from the current to the wanted works. A manifest that moves to another work is removed from its old work only when
 * the new one is applied: otherwise the cluster would delete the object in between.
 */
export function workChanges(current: readonly ManifestWork[], wanted: readonly NewManifestWork[]): WorkChanges {
  const { first, afterwards, removed } = partChanges(current, wanted)
  const known = new Map(current.map((work) => [work.metadata.name, work]))
  const others = wanted.filter(
    (work) =>
      !first.includes(work) && !afterwards.includes(work) && !hasMetadataOf(known.get(work.metadata.name ?? ''), work),
  )
  const now = [...first, ...others]
  if (!hasMoves(current, wanted)) return { write: [...now, ...afterwards], remove: removed }
  const late = new Set(afterwards.map(({ metadata }) => metadata.name))
  const isReady =
    first.length === 0 &&
    wanted.every(({ metadata }) => late.has(metadata.name) || isApplied(known.get(metadata.name ?? '')))
  return isReady ? { write: [...now, ...afterwards], remove: removed } : { write: now, remove: [] }
}

function hasMoves(current: readonly ManifestWork[], wanted: readonly NewManifestWork[]): boolean {
  const places = new Map(
    wanted.flatMap(({ metadata, spec }) =>
      (spec?.workload?.manifests ?? []).map((manifest) => [identityOf(manifest as Manifest), metadata.name] as const),
    ),
  )
  return current.some(({ metadata, spec }) =>
    (spec?.workload?.manifests ?? []).some((manifest) => {
      const place = places.get(identityOf(manifest as Manifest))
      return place !== undefined && place !== metadata.name
    }),
  )
}

/** Whether the agent has applied the latest generation of a work. */
function isApplied(work: ManifestWork | undefined): boolean {
  const applied = findCondition(work?.status?.conditions, WorkCondition.Applied)
  return applied?.status === 'True' && applied.observedGeneration === work?.metadata.generation
}

/** Whether a work has the owners, and no hash of configurations that it should not have. */
function hasMetadataOf(current: ManifestWork | undefined, { metadata: wanted }: NewManifestWork): boolean {
  const { annotations, ownerReferences = [] } = current?.metadata ?? {}
  const isSameHash = hashIn(annotations) === hashIn(wanted.annotations)
  return (
    isSameHash && (wanted.ownerReferences ?? []).every(({ uid }) => ownerReferences.some((known) => known.uid === uid))
  )
}

function hashIn(annotations: Readonly<Record<string, string>> | undefined): string | undefined {
  return annotations?.[CONFIG_SPEC_HASH_ANNOTATION]
}

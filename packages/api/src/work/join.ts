import type { Condition, ConditionStatus } from '@orrery/kinds'
import { WorkCondition } from './conditions.js'
import type { ManifestStatus } from './manifest-status.js'
import type { ManifestWork, ManifestWorkStatus } from './manifest-work.js'
import { PART_ANNOTATION } from './names.js'

/** The reason of a condition that not all parts have reported. */
export const PARTS_NOT_REPORTED = 'PartsNotReported'

/** Conditions that indicate a problem when they are True. */
const BAD_WHEN_TRUE: ReadonlySet<string> = new Set([
  WorkCondition.Progressing,
  WorkCondition.Degraded,
  WorkCondition.Deleting,
])

/** Conditions that every agent reports for every work. If one is missing, the status is not known yet. */
const ALWAYS_GIVEN: ReadonlySet<string> = new Set([WorkCondition.Applied, WorkCondition.Available])

/** Joins the parts of a work into one, with manifests and status. Throws a `RangeError` if there are no parts. */
export function joinWork(parts: readonly ManifestWork[]): ManifestWork {
  const ordered = inOrder(parts)
  const [first] = ordered
  if (first === undefined) throw new RangeError('no parts to join')
  const manifests = ordered.flatMap(({ spec }) => spec?.workload?.manifests ?? [])
  return {
    ...first,
    spec: { ...first.spec, workload: { ...first.spec?.workload, manifests } },
    status: joinWorkStatus(ordered),
  }
}

/**
 * Joins the status of the parts of a work. Each condition is the worst of its parts, and the message names the part.
 */
export function joinWorkStatus(parts: readonly ManifestWork[]): ManifestWorkStatus {
  const ordered = inOrder(parts)
  const types = new Set(ordered.flatMap(({ status }) => (status?.conditions ?? []).map(({ type }) => type)))
  const conditions = [...types].map((type) => joinCondition(type, ordered)).filter((one) => one !== undefined)
  return { conditions, resourceStatus: { manifests: joinManifests(ordered) } }
}

function joinCondition(type: string, parts: readonly ManifestWork[]): Condition | undefined {
  const [worst, best]: readonly ConditionStatus[] = BAD_WHEN_TRUE.has(type) ? ['True', 'False'] : ['False', 'True']
  const said = parts.flatMap((part) => {
    const condition = currentCondition(part, type)
    return condition === undefined ? [] : [{ work: part.metadata.name, condition }]
  })
  const those = (status: ConditionStatus | undefined) => said.filter(({ condition }) => condition.status === status)
  const missing = partCount(parts) - said.length
  const isUnclear = ALWAYS_GIVEN.has(type) && missing > 0
  const telling = [those(worst), isUnclear ? [] : those('Unknown'), isUnclear ? [] : those(best)]
  const [first, ...others] = telling.find((some) => some.length > 0) ?? []
  if (first === undefined) return isUnclear ? unreported(type, missing, parts) : undefined
  const all = [first, ...others]
  const isBest = first.condition.status === best
  const times = all.map(({ condition }) => condition.lastTransitionTime).sort()
  return {
    type,
    status: first.condition.status,
    reason: first.condition.reason,
    message: isBest
      ? first.condition.message
      : all.map(({ work, condition }) => `${work}: ${condition.message}`).join('; '),
    // The whole is good since its last part is good, and bad since its first part is bad.
    lastTransitionTime: (isBest ? times.at(-1) : times[0]) as string,
  }
}

function unreported(type: string, missing: number, parts: readonly ManifestWork[]): Condition {
  const times = parts.flatMap(({ metadata, status }) => [
    metadata.creationTimestamp,
    ...(status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime),
  ])
  return {
    type,
    status: 'Unknown',
    reason: PARTS_NOT_REPORTED,
    message: `${missing} of ${partCount(parts)} parts have not been reported on yet`,
    lastTransitionTime: times.sort().at(-1) as string,
  }
}

/** A condition, if it was reported for the latest generation. */
function currentCondition({ metadata, status }: ManifestWork, type: string): Condition | undefined {
  const condition = status?.conditions?.find((one) => one.type === type)
  const { observedGeneration = metadata.generation } = condition ?? {}
  return observedGeneration === metadata.generation ? condition : undefined
}

/** Ordinals of manifests continue across parts. */
function joinManifests(parts: readonly ManifestWork[]): ManifestStatus[] {
  let offset = 0
  return parts.flatMap(({ spec, status }) => {
    const before = offset
    offset += spec?.workload?.manifests?.length ?? 0
    return (status?.resourceStatus?.manifests ?? []).map((manifest) => {
      const { resourceMeta } = manifest
      return { ...manifest, resourceMeta: { ...resourceMeta, ordinal: resourceMeta.ordinal + before } }
    })
  })
}

/** The number of parts, from the annotations and the existing parts. */
function partCount(parts: readonly ManifestWork[]): number {
  return Math.max(parts.length, ...parts.map((part) => position(part).count))
}

function inOrder(parts: readonly ManifestWork[]): ManifestWork[] {
  return [...parts].sort((a, b) => position(a).number - position(b).number)
}

function position({ metadata }: ManifestWork): { readonly number: number; readonly count: number } {
  const [, number = '1', count = '1'] =
    /^([0-9]{1,6})\/([0-9]{1,6})$/.exec(metadata.annotations?.[PART_ANNOTATION] ?? '') ?? []
  return { number: Number(number), count: Number(count) }
}

import type { Job, JobCondition, Pod } from '@orrery/kinds'

/** Returns when a pod ended, as precisely as known, in milliseconds since 1970. */
export function finishedAt({ metadata, status }: Pod): number {
  const ends = (status?.containerStatuses ?? []).flatMap(({ state }) => state?.terminated?.finishedAt ?? [])
  const known = ends.map((text) => Date.parse(text)).filter((time) => !Number.isNaN(time))
  if (known.length > 0) return Math.max(...known)
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime
  return Date.parse(metadata.deletionTimestamp ?? ready ?? metadata.creationTimestamp)
}

/** Returns the `Complete` or `Failed` condition of a finished Job. */
export function finalCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True')
}

import { CLEANUP_PRIORITY_ANNOTATION } from '@orrery/api'
import type { ApiObject } from '@orrery/kinds'

const MAX_PRIORITY = 100
const MAX_LISTED = 5

/** The objects to delete next: those of the lowest priority. A priority that is not valid counts as the lowest. */
export function nextObjects(objects: readonly ApiObject[]): ApiObject[] {
  const least = Math.min(...objects.map(priorityOf))
  return objects.filter((object) => priorityOf(object) === least)
}

function priorityOf({ metadata }: ApiObject): number {
  const priority = Number(metadata.annotations?.[CLEANUP_PRIORITY_ANNOTATION] ?? 0)
  return Number.isInteger(priority) && priority >= 0 && priority <= MAX_PRIORITY ? priority : 0
}

/** The objects of a resource that are left, and the finalizers that hold them. */
export function describeRemains(resource: string, objects: readonly ApiObject[]): string {
  const held = objects.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const counts = `the remaining count is ${objects.length}, the finalizer pending count is ${held.length}`
  const named = held.slice(0, MAX_LISTED).map(describeHeld).join('; ')
  const more = held.length > MAX_LISTED ? `; and ${held.length - MAX_LISTED} more` : ''
  return `The resource ${resource} is remaining, ${counts}${named === '' ? '' : `: ${named}${more}`}`
}

function describeHeld({ metadata }: ApiObject): string {
  const finalizers = metadata.finalizers ?? []
  const holders = finalizers.length === 0 ? 'its grace period' : finalizers.join(', ')
  return `${metadata.name} is held by ${holders} since ${metadata.deletionTimestamp}`
}

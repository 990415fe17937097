import { CLEANUP_PRIORITY_ANNOTATION } from '@orrery/api'
import type { ApiObject } from '@orrery/kinds'

const LAST = 100
const MOST_NAMED = 5

/** Which objects go next: those of the least priority. A priority that is none counts as the least. */
export function nextToGo(objects: readonly ApiObject[]): ApiObject[] {
  const least = Math.min(...objects.map(priorityOf))
  return objects.filter((object) => priorityOf(object) === least)
}

function priorityOf({ metadata }: ApiObject): number {
  const priority = Number(metadata.annotations?.[CLEANUP_PRIORITY_ANNOTATION] ?? 0)
  return Number.isInteger(priority) && priority >= 0 && priority <= LAST ? priority : 0
}

/** What is left of a resource, how much of it waits for somebody else, and for whom. */
export function describeRemains(resource: string, objects: readonly ApiObject[]): string {
  const held = objects.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const counts = `the remaining count is ${objects.length}, the finalizer pending count is ${held.length}`
  const named = held.slice(0, MOST_NAMED).map(describeHeld).join('; ')
  const more = held.length > MOST_NAMED ? `; and ${held.length - MOST_NAMED} more` : ''
  return `The resource ${resource} is remaining, ${counts}${named === '' ? '' : `: ${named}${more}`}`
}

function describeHeld({ metadata }: ApiObject): string {
  const finalizers = metadata.finalizers ?? []
  const holders = finalizers.length === 0 ? 'its grace period' : finalizers.join(', ')
  return `${metadata.name} is held by ${holders} since ${metadata.deletionTimestamp}`
}

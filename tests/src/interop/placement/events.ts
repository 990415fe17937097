import { Event } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'

/** The distinct events about each placement, by `namespace/name`: type, reason, action and related object. */
export async function eventsOf(client: KubeClient): Promise<Map<string, string[]>> {
  const events = new Map<string, Set<string>>()
  for (const { regarding, related, type, reason, action } of (await client.list(Event)).items) {
    if (regarding?.kind !== 'Placement') continue
    const key = `${regarding.namespace}/${regarding.name}`
    const known = events.get(key) ?? new Set()
    events.set(key, known.add(`${type} ${reason} ${action} ${related?.kind} ${related?.name}`))
  }
  return new Map([...events].map(([key, found]) => [key, [...found].sort()]))
}

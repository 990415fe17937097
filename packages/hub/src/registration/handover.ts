import { AGENT_STOPPED_ANNOTATION } from '@orrery/api'
import type { Lease } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/**
 * How long, in milliseconds after the last renewal, a hub waits for another agent of a cluster whose agent was stopped.
 * Undefined while an agent renews the lease: agents of Open Cluster Management leave the annotation where it is, so it
 * counts only for the renewal that it was written with.
 */
export function handoverOf({ metadata, spec }: Lease): number | undefined {
  const stopped = parse(metadata.annotations?.[AGENT_STOPPED_ANNOTATION])
  if (stopped === undefined || stopped.renewTime !== spec?.renewTime) return undefined
  const { handoverSeconds } = stopped
  return typeof handoverSeconds === 'number' && handoverSeconds >= 0 ? handoverSeconds * 1_000 : undefined
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    // It was not written by an agent of Orrery.
    return undefined
  }
}

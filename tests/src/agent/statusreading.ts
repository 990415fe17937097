import type { ManifestWork } from '@orrery/api'
import { manifestOf, type WorkPair } from './work-pair.js'

/** `True Reason: message` of each condition, by type. */
function conditionTexts(
  conditions: readonly { type: string; status: string; reason: string; message: string }[] | undefined,
): Record<string, string> {
  return Object.fromEntries(
    (conditions ?? []).map(({ type, status, reason, message }) => [
      type,
      message === '' ? `${status} ${reason}` : `${status} ${reason}: ${message}`,
    ]),
  )
}

/** The conditions of a work. */
export function conditionTextsOf(work: ManifestWork): Record<string, string> {
  return conditionTexts(work.status?.conditions)
}

/** The conditions of one manifest of a work. */
export function manifestConditionTexts(work: ManifestWork, ordinal = 0): Record<string, string> {
  return conditionTexts(manifestOf(work, ordinal)?.conditions)
}

/** The feedback values of a manifest, by name. */
export function valuesOf(work: ManifestWork, ordinal = 0): Record<string, unknown> {
  const values = manifestOf(work, ordinal)?.statusFeedback?.values ?? []
  return Object.fromEntries(
    values.map(({ name, fieldValue: { type, integer, string, boolean, jsonRaw } }) => [
      name,
      type === 'JsonRaw' ? JSON.parse(jsonRaw ?? '') : (integer ?? string ?? boolean),
    ]),
  )
}

/** How often the agent has written the status of a work since the start. */
export function statusWrites({ hub }: WorkPair, name: string): number {
  const path = `/manifestworks/${name}/status`
  return hub.requests.filter((request) => request.method === 'PATCH' && request.path.includes(path)).length
}

import { REPORT_OBSERVED_AT_ANNOTATION, REPORT_VALID_UNTIL_ANNOTATION } from '@orrery/api'
import { formatTime } from '@orrery/kinds/values'

/** The result of a report. */
export interface Report {
  /** Whether the report was written: it had changed, or had to be renewed. */
  readonly written: boolean
  /** After this time, readers can tell that the agent has stopped reporting. Undefined if the report does not expire. */
  readonly validUntil?: Date
}

/** Nothing is reported for an add-on that is being deleted: the report would have to be deleted again. */
export const NOT_WRITTEN: Report = { written: false }

/** When data was observed, and how long it is valid, as annotations of a report. */
export interface Freshness {
  readonly observedAt: string
  readonly validUntil: Date
}

export function freshnessFrom(now: Date, validitySeconds: number): Freshness {
  return { observedAt: formatTime(now), validUntil: new Date(now.getTime() + 1_000 * validitySeconds) }
}

export function freshnessOf(annotations: Readonly<Record<string, string>> | undefined): Freshness | undefined {
  const observedAt = annotations?.[REPORT_OBSERVED_AT_ANNOTATION]
  const validUntil = Date.parse(annotations?.[REPORT_VALID_UNTIL_ANNOTATION] ?? '')
  if (observedAt === undefined || Number.isNaN(validUntil)) return undefined
  return { observedAt, validUntil: new Date(validUntil) }
}

export function annotationsOf({ observedAt, validUntil }: Freshness): Record<string, string> {
  return { [REPORT_OBSERVED_AT_ANNOTATION]: observedAt, [REPORT_VALID_UNTIL_ANNOTATION]: formatTime(validUntil) }
}

/** The longest validity: a year. */
const MAX_VALIDITY_SECONDS = 31_536_000

/** Throws if a validity is too short to be renewed in time, or a typing error. */
export function checkValidity(what: string, seconds: number): void {
  if (seconds >= 1 && seconds <= MAX_VALIDITY_SECONDS) return
  throw new RangeError(`${what}: validitySeconds must be from 1 to ${MAX_VALIDITY_SECONDS}, not ${seconds}`)
}

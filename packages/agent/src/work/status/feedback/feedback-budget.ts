import type { FeedbackValue } from '@orrery/api'
import { JsonPathVisits } from '@orrery/kinds/values'

/** The limit of a work's feedback values in its status, as JSON in UTF-8. */
export const MAX_FEEDBACK_BYTES = 262_144
/** How many values the paths of a work may visit, in about half a second. A path to one field visits one value for each step. */
const MAX_VISITS = 500_000
/** The size of a value besides its name and text, and that of a number or a boolean. */
const AROUND_TEXT = 64
const AROUND_VALUE = 96

/**
 * Limits the size of the feedback values of a work and the number of values that its JSONPaths visit. If a value does
 * not fit, the agent still reports the others. The limit on visits keeps one work from delaying the other works.
 */
export class FeedbackBudget {
  readonly visits: JsonPathVisits
  #left: number

  constructor(bytes: number = MAX_FEEDBACK_BYTES, visits: number = MAX_VISITS) {
    this.#left = bytes
    this.visits = new JsonPathVisits(visits)
  }

  /** Reserves space for a value, if there is enough. */
  takes(value: FeedbackValue): boolean {
    const size = sizeOf(value)
    if (size > this.#left) return false
    this.#left -= size
    return true
  }
}

function sizeOf({ name, fieldValue: { string, jsonRaw } }: FeedbackValue): number {
  const text = string ?? jsonRaw
  return name.length + (text === undefined ? AROUND_VALUE : AROUND_TEXT + Buffer.byteLength(JSON.stringify(text)))
}

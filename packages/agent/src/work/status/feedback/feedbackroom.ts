import type { FeedbackValue } from '@orrery/api'

/** What the values of a work may take up in its status, as JSON in UTF-8. */
export const MOST_FEEDBACK_BYTES = 262_144
/** What a value takes up besides its name and its text, and what a number or a boolean does. */
const AROUND_TEXT = 64
const AROUND_VALUE = 96

/** How much room there is for the feedback values of a work: what does not fit must not keep the rest from being told. */
export class FeedbackRoom {
  #left: number

  constructor(bytes: number = MOST_FEEDBACK_BYTES) {
    this.#left = bytes
  }

  /** Takes the room for a value, if there is as much. */
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

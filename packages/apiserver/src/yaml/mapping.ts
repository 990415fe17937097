import type { JsonObject, JsonValue } from '@orrery/kinds'
import { addAll, cloneJson, isObject } from '@orrery/kinds/values'
import type { Cursor } from './cursor.js'

/** So many repeated keys are told at most: finding the line of each takes time. */
const MAX_REPEATS = 100

/** A mapping as it is read: which keys came twice, and what `<<` brings in. */
export class MappingBuilder {
  readonly object: JsonObject = {}
  readonly #cursor: Cursor
  readonly #repeats: string[]
  readonly #merged: JsonValue[] = []

  constructor(cursor: Cursor, repeats: string[]) {
    this.#cursor = cursor
    this.#repeats = repeats
  }

  /** `at` is where the key stands in the text. */
  set(key: string, value: JsonValue, isMerge: boolean, at: number): void {
    if (isMerge) {
      if (Array.isArray(value)) addAll(this.#merged, value)
      else this.#merged.push(value)
      return
    }
    if (key === '__proto__') throw this.#cursor.error('the field name "__proto__" is not accepted')
    if (Object.hasOwn(this.object, key) && this.#repeats.length < MAX_REPEATS) {
      this.#repeats.push(`line ${this.#cursor.lineOf(at)}: key ${JSON.stringify(key)} already set in map`)
    }
    this.object[key] = value
  }

  /** The whole mapping. What it says itself goes before what is merged in, and what was merged first before the rest. */
  finish(): JsonObject {
    for (const source of this.#merged) {
      if (!isObject(source)) throw this.#cursor.error('map merge requires map or sequence of maps as the value')
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(this.object, key)) this.object[key] = cloneJson(source[key] as JsonValue)
      }
    }
    return this.object
  }
}

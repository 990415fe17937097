import type { JsonObject, JsonValue } from '@orrery/kinds'
import { addAll, cloneJson, isObject } from '@orrery/kinds/values'
import type { Cursor } from './cursor.js'

/** The maximum number of reported duplicate keys, since finding their lines takes time. */
const MAX_REPEATS = 100

/** Builds a mapping: detects duplicate keys and applies `<<` merges. */
export class MappingBuilder {
  readonly object: JsonObject = {}
  readonly #cursor: Cursor
  readonly #repeats: string[]
  readonly #merged: JsonValue[] = []

  constructor(cursor: Cursor, repeats: string[]) {
    this.#cursor = cursor
    this.#repeats = repeats
  }

  /** `at` is the position of the key. */
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

  /** Returns the mapping. Its own keys take precedence over merged ones, and earlier merges over later ones. */
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

import type { JsonObject, JsonValue } from '@orrery/kube'
import { cloneJson, isObject } from '../json.js'
import type { Cursor } from './cursor.js'

/** A mapping as it is read: which keys came twice, and what `<<` brings in. */
export class MappingBuilder {
  readonly object: JsonObject = {}
  private readonly cursor: Cursor
  private readonly duplicates: string[]
  private merged: JsonValue[] | undefined

  constructor(cursor: Cursor, duplicates: string[]) {
    this.cursor = cursor
    this.duplicates = duplicates
  }

  set(key: string, value: JsonValue, isMerge: boolean): void {
    if (isMerge) {
      this.merged = [...(this.merged ?? []), ...(Array.isArray(value) ? value : [value])]
      return
    }
    if (key === '__proto__') throw this.cursor.error('the field name "__proto__" is not accepted')
    if (Object.hasOwn(this.object, key)) this.duplicates.push(key)
    this.object[key] = value
  }

  /** The whole mapping. What it says itself goes before what is merged in, and what was merged first before the rest. */
  finish(): JsonObject {
    for (const source of this.merged ?? []) {
      if (!isObject(source)) throw this.cursor.error('map merge requires map or sequence of maps as the value')
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(this.object, key)) this.object[key] = cloneJson(source[key] as JsonValue)
      }
    }
    return this.object
  }
}

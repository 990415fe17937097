import { Parts } from './parts.js'

/** Object identifiers of types, as PostgreSQL's catalogue numbers them. */
const JSON_OID = 114

/** A parameter of the type json[] in the binary format. */
export class JsonArray {
  readonly parts: readonly Uint8Array[]
  readonly length: number

  constructor(parts: Parts) {
    this.length = parts.length
    this.parts = parts.end()
  }
}

/**
 * One statement takes any number of JSON texts, which are neither decoded nor escaped. Large ones are not copied: they
 * must not change until the statement has run.
 */
export function jsonArray(values: readonly (Uint8Array | undefined)[]): JsonArray {
  const parts = new Parts()
  for (const number of [1, values.includes(undefined) ? 1 : 0, JSON_OID, values.length, 1]) parts.addInt32(number)
  for (const value of values) {
    parts.addInt32(value?.length ?? -1)
    if (value !== undefined) parts.add(value)
  }
  return new JsonArray(parts)
}

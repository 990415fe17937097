/** Object identifiers of types, as PostgreSQL's catalogue numbers them. */
const JSON_OID = 114
const HEADER_BYTES = 20

/**
 * A parameter of the type json[] in the binary format: one statement takes any number of JSON texts, which are
 * neither decoded nor escaped.
 */
export function jsonArray(values: readonly (Uint8Array | undefined)[]): Buffer {
  const size = values.reduce((sum, value) => sum + 4 + (value?.length ?? 0), HEADER_BYTES)
  const buffer = Buffer.allocUnsafe(size)
  buffer.writeInt32BE(1, 0)
  buffer.writeInt32BE(values.includes(undefined) ? 1 : 0, 4)
  buffer.writeInt32BE(JSON_OID, 8)
  buffer.writeInt32BE(values.length, 12)
  buffer.writeInt32BE(1, 16)
  let offset = HEADER_BYTES
  for (const value of values) {
    offset = buffer.writeInt32BE(value?.length ?? -1, offset)
    if (value === undefined) continue
    buffer.set(value, offset)
    offset += value.length
  }
  return buffer
}

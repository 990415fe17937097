import type { JsonValue } from '@orrery/kinds'
import { canonicalJson, safeEncode } from '@orrery/kinds/values'

/** Returns a short hash of a value: FNV-1a over its canonical JSON. */
export function shortHash(value: object, collisions = 0): string {
  const text =
    collisions === 0 ? canonicalJson(value as JsonValue) : `${canonicalJson(value as JsonValue)}${collisions}`
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return safeEncode(Buffer.from(String(hash)))
}

/** Returns a name with a hash at its end, truncated to the maximum length. */
export function hashedName(name: string, hash: string): string {
  return `${name.slice(0, 253 - 1 - hash.length)}-${hash}`
}

import { createHash } from 'node:crypto'
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

/** Returns a digest that is the same for values that are semantically equal: absent, null and empty are. */
export function semanticDigest(value: object): string {
  return createHash('md5').update(textOf(value)).digest('base64')
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? '' : `[${value.map(textOf).join()}]`
  const fields: string[] = []
  for (const [key, member] of Object.entries(value)) {
    const text = textOf(member)
    if (text !== '') fields.push(`${JSON.stringify(key)}:${text}`)
  }
  return fields.length === 0 ? '' : `{${fields.sort().join()}}`
}

/** Returns a name with a hash at its end, truncated to the maximum length. */
export function hashedName(name: string, hash: string): string {
  return `${name.slice(0, 253 - 1 - hash.length)}-${hash}`
}

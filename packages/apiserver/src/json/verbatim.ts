import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/**
 * A member of a JSON body whose bytes equal its serialised value, so that they can be stored unchanged. It is a map of
 * strings, the long part of ConfigMaps and Secrets.
 */
export interface VerbatimMember {
  readonly name: string
  /** The name, the colon and the value. */
  readonly bytes: Buffer
  /** A copy of the value, to detect changes. */
  readonly value: Readonly<Record<string, string>>
}

/** The position of a member in a body. */
export interface MemberRange {
  /** The start of its name, without the quote. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly end: number
}

/** Extracts a member from a parsed body. The scan guarantees that it is canonical. */
export function verbatimMember(bytes: Buffer, { nameStart, nameEnd, end }: MemberRange, body: unknown): VerbatimMember {
  const name = bytes.toString('utf8', nameStart, nameEnd)
  const value = (body as Record<string, Record<string, string>>)[name]
  return { name, bytes: bytes.subarray(nameStart - 1, end), value: { ...value } }
}

/** Returns whether a value would be serialised as the member was sent: the same strings and keys in the same order. */
export function isAsSent(member: VerbatimMember, value: JsonValue | undefined): boolean {
  if (!isObject(value)) return false
  const keys = Object.keys(value)
  const sent = Object.keys(member.value)
  if (keys.length !== sent.length) return false
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string
    if (key !== sent[index] || value[key] !== member.value[key]) return false
  }
  return true
}

import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/**
 * A member of a JSON body whose bytes are exactly what writing its value would give, so that they can be stored as they
 * came. It is a map of texts, which is what is long in ConfigMaps and Secrets.
 */
export interface VerbatimMember {
  readonly name: string
  /** The name, the colon and the value. */
  readonly bytes: Buffer
  /** A copy of the value, to know whether it is still the same. */
  readonly value: Readonly<Record<string, string>>
}

/** Where a member stands in a body. */
export interface MemberRange {
  /** Of its name, without the quote before it. */
  readonly nameStart: number
  readonly nameEnd: number
  readonly end: number
}

/** Takes a member out of a body that was read as `body`. The scan that found it vouches for how it is written. */
export function verbatimMember(bytes: Buffer, { nameStart, nameEnd, end }: MemberRange, body: unknown): VerbatimMember {
  const name = bytes.toString('utf8', nameStart, nameEnd)
  const value = (body as Record<string, Record<string, string>>)[name]
  return { name, bytes: bytes.subarray(nameStart - 1, end), value: { ...value } }
}

/** Whether a value would be written as the member was sent: the same texts under the same keys in the same order. */
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

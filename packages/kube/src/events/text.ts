import { isDNS1123Subdomain } from '@orrery/kinds/values'

/** In bytes. */
export const MAX_NOTE = 1_024

/** The longest prefix that fits into this many bytes of UTF-8, without splitting a character. */
export function cut(text: string, bytes: number): string {
  // A UTF-16 code unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (((buffer[end] as number) & 0xc0) === 0x80) end--
  return buffer.toString('utf8', 0, end)
}

/** A unique name for an event that contains the name of its object. */
export function eventName(about: string, time: Date, count: number): string {
  const nanos = BigInt(time.getTime()) * 1_000_000n + BigInt(count % 1_000_000)
  const name = `${about}.${nanos.toString(16)}`
  // Names of some kinds, such as roles, are not valid in names of events.
  return isDNS1123Subdomain(name).length === 0 ? name : `event.${nanos.toString(16)}`
}

import { isDNS1123Subdomain } from '@orrery/kinds/values'

/** In bytes. */
export const MAX_NOTE = 1_024

/** The longest prefix that fits into so many bytes of UTF-8, without half a character at its end. */
export function cut(text: string, bytes: number): string {
  // No character of UTF-16 takes more than three bytes.
  if (text.length * 3 <= bytes) return text
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  while (((buffer[end] as number) & 0xc0) === 0x80) end--
  return buffer.toString('utf8', 0, end)
}

/** A name for an event that shows what it is about, and that no other event has. */
export function eventName(about: string, time: Date, count: number): string {
  const nanos = BigInt(time.getTime()) * 1_000_000n + BigInt(count % 1_000_000)
  const name = `${about}.${nanos.toString(16)}`
  // Names of some kinds, such as roles, may hold what names of events may not.
  return isDNS1123Subdomain(name).length === 0 ? name : `event.${nanos.toString(16)}`
}

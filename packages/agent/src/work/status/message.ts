/** How many items a message names. */
const MAX_NAMED = 5

/** Shortens a message to a number of characters. It keeps the end, which has the fix. */
export function fitting(message: string, longest: number): string {
  if (message.length <= longest) return message
  const tail = Math.floor(longest / 4)
  let head = longest - tail - 1
  let from = message.length - tail
  // Half of a surrogate pair is not valid text.
  if (isFirstHalf(message.charCodeAt(head - 1))) head--
  if (isFirstHalf(message.charCodeAt(from - 1))) from++
  return `${message.slice(0, head)}…${message.slice(from)}`
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

/** Joins errors as Go's aggregated errors: one as it is, several in brackets, without duplicates. */
export function joinedFailures(failures: readonly string[]): string {
  const distinct = [...new Set(failures)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`
}

/** The first items, and the number of the others. */
export function someOf(parts: readonly string[]): string {
  const more = parts.length - MAX_NAMED
  return more <= 0 ? parts.join('; ') : `${parts.slice(0, MAX_NAMED).join('; ')}; and ${more} more`
}

/** How many of several things a message names. */
const MAX_NAMED = 5

/** A message of at most so many characters. What is too much is left out before its end, which says what to do. */
export function fitting(message: string, longest: number): string {
  if (message.length <= longest) return message
  const tail = Math.floor(longest / 4)
  let head = longest - tail - 1
  let from = message.length - tail
  // A surrogate pair that is cut in half is no text any more.
  if (isFirstHalf(message.charCodeAt(head - 1))) head--
  if (isFirstHalf(message.charCodeAt(from - 1))) from++
  return `${message.slice(0, head)}…${message.slice(from)}`
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00
}

/** What failed, as clients know it from Go: one as it is, several in brackets, each of them once. */
export function joinedFailures(failures: readonly string[]): string {
  const distinct = [...new Set(failures)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`
}

/** The first few, and how many there are besides. */
export function someOf(parts: readonly string[]): string {
  const more = parts.length - MAX_NAMED
  return more <= 0 ? parts.join('; ') : `${parts.slice(0, MAX_NAMED).join('; ')}; and ${more} more`
}

/** The longest message that a condition may have. */
const LONGEST_MESSAGE = 32_768
/** How many of several things a message names. */
const MOST_NAMED = 5

/** A message that an API server takes. */
export function fitting(message: string, longest = LONGEST_MESSAGE): string {
  if (message.length <= longest) return message
  const end = longest - 1
  // A surrogate pair that is cut in half is no text any more.
  const code = message.charCodeAt(end - 1)
  return `${message.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`
}

/** What failed, as clients know it from Go: one as it is, several in brackets, each of them once. */
export function joinedFailures(failures: readonly string[]): string {
  const distinct = [...new Set(failures)]
  return distinct.length === 1 ? (distinct[0] as string) : `[${distinct.join(', ')}]`
}

/** The first few, and how many there are besides. */
export function someOf(parts: readonly string[]): string {
  const more = parts.length - MOST_NAMED
  return more <= 0 ? parts.join('; ') : `${parts.slice(0, MOST_NAMED).join('; ')}; and ${more} more`
}

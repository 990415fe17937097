/** How long the message of one cluster may be, so that there is room for others. */
const MAX_LENGTH = 200

/** A text cut to a length. */
export function truncated(text: string, maxLength = MAX_LENGTH): string {
  if (text.length <= maxLength) return text
  const end = maxLength - 1
  // A surrogate pair that is cut in half is not valid text.
  const code = text.charCodeAt(end - 1)
  return `${text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`
}

/** How long what one cluster says may be, so that there is room for others. */
const LONGEST_TEXT = 200

/** A text that is not longer than that. */
export function shortened(text: string, longest = LONGEST_TEXT): string {
  if (text.length <= longest) return text
  const end = longest - 1
  // A surrogate pair that is cut in half is no text any more.
  const code = text.charCodeAt(end - 1)
  return `${text.slice(0, code >= 0xd800 && code < 0xdc00 ? end - 1 : end)}…`
}

import { fullImageName } from '../container/image.js'

/**
 * Returns whether a pattern matches an image. `*` matches any text. A pattern without a tag matches every tag and
 * digest, and `nginx` matches the full name that a runtime would pull.
 */
export function matchesImage(pattern: string, image: string): boolean {
  const candidates = new Set([image, fullImageName(image)])
  const patterns = pattern.startsWith('*') ? [pattern] : [pattern, withRegistry(pattern)]
  for (const candidate of candidates) {
    if (patterns.some((one) => matchesGlob(one, candidate) || matchesGlob(one, withoutTag(candidate)))) return true
  }
  return false
}

/** Returns the entry of the most specific pattern that matches an image. */
export function bestMatch<T>(entries: Readonly<Record<string, T>>, image: string): T | undefined {
  let best: string | undefined
  for (const pattern of Object.keys(entries)) {
    if (!matchesImage(pattern, image)) continue
    if (best === undefined || precision(pattern) > precision(best)) best = pattern
  }
  return best === undefined ? undefined : entries[best]
}

/** Returns how specific a pattern is: the number of its literal characters. */
export function precision(pattern: string): number {
  return pattern.replaceAll('*', '').length + (pattern.includes('*') ? 0 : 1_000_000)
}

function withRegistry(pattern: string): string {
  const full = fullImageName(pattern)
  return pattern.includes(':') || pattern.includes('@') ? full : withoutTag(full)
}

function withoutTag(image: string): string {
  const bare = image.split('@', 1)[0] ?? ''
  const colon = bare.lastIndexOf(':')
  return colon > bare.lastIndexOf('/') ? bare.slice(0, colon) : bare
}

/** Takes linear time in the text for each star, since the authors of pods choose the image names. */
function matchesGlob(pattern: string, text: string): boolean {
  const parts = pattern.split('*')
  const first = parts.shift() ?? ''
  const last = parts.pop()
  if (last === undefined) return text === first
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return at <= text.length - last.length
}

import { fullImageName } from '../container/image.js'

/**
 * Whether a pattern means an image. `*` stands for anything. A pattern without a tag means every tag and digest, and
 * `nginx` means what a runtime would fetch for it.
 */
export function matchesImage(pattern: string, image: string): boolean {
  const candidates = new Set([image, fullImageName(image)])
  const patterns = pattern.startsWith('*') ? [pattern] : [pattern, withRegistry(pattern)]
  for (const candidate of candidates) {
    if (patterns.some((one) => matchesGlob(one, candidate) || matchesGlob(one, withoutTag(candidate)))) return true
  }
  return false
}

/** How exactly a pattern says what it means: the more letters, the more exactly. */
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

/** Takes time linear in the text for each star: images are named by whoever makes pods. */
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

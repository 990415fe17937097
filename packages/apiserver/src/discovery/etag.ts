import { createHash } from 'node:crypto'

/** Returns an entity tag that depends only on the bytes. */
export function etagOf(body: Buffer): string {
  return `"${createHash('sha512').update(body).digest('hex').toUpperCase()}"`
}

/** Returns whether an `If-None-Match` header contains this tag, so that a 304 is sent (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

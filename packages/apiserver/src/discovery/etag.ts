import { createHash } from 'node:crypto'

/** An entity tag that is the same whenever the bytes are the same. */
export function etagOf(body: Buffer): string {
  return `"${contentHash(body)}"`
}

export function contentHash(body: Buffer): string {
  return createHash('sha512').update(body).digest('hex').toUpperCase()
}

/** Whether an `If-None-Match` header names this tag, so that 304 says it all (RFC 9110, 13.1.2). */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

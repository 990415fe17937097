import { createHash } from 'node:crypto'

/** Identifies a hub in names on the cluster: a hash of its API server's URL. */
export function hubHashOf(hubServer: string): string {
  return createHash('sha256').update(hubServer).digest('hex')
}

/** The name of the AppliedManifestWork of a work. */
export function appliedWorkName(hubHash: string, workName: string): string {
  return `${hubHash}-${workName}`
}

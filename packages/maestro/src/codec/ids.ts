import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

/** The namespace of object identifiers of RFC 9562. */
const OID_NAMESPACE = Buffer.from('6ba7b8129dad11d180b400c04fd430c8', 'hex')
const MANIFEST_WORKS = 'manifestworks.work.open-cluster-management.io'

/**
 * The ID of the resource bundle of a work: a UUID of version 5, the same for every client of a source.
 * @param namespace The namespace of the work, which is the name of its consumer.
 */
export function bundleId(source: string, namespace: string, name: string): string {
  return uuidOf(`${source}-${MANIFEST_WORKS}-${namespace}-${name}`)
}

function uuidOf(name: string): string {
  const bytes = createHash('sha1').update(OID_NAMESPACE).update(name).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x50
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

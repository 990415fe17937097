import { utf8Length } from '@orrery/kinds/values'
/** The default size limit of the manifests of one work: 500 KiB. */
export const MANIFEST_LIMIT = 500 * 1024

/**
 * The maximum number of manifests of a work before it is split. The status has about 0.9 KB for each manifest, more
 * for failed ones, and up to 256 KiB of feedback. etcd limits spec and status together to 1.5 MiB.
 */
export const MANIFEST_COUNT_LIMIT = 500

/** Characters that Go's JSON encoder escapes as six bytes. */
const ESCAPED = /[<>&\u2028\u2029]/g
const ESCAPED_BYTES = 6

/**
 * The size of a manifest toward the limit: its JSON as Go encodes it, in a protobuf field with tag and length. Open
 * Cluster Management counts the same way.
 */
export function manifestSize(manifest: object): number {
  const text = JSON.stringify(manifest)
  let bytes = utf8Length(text)
  for (const [character] of text.matchAll(ESCAPED)) bytes += ESCAPED_BYTES - utf8Length(character)
  return 1 + varintBytes(bytes) + bytes
}

/** The number of bytes of a protobuf varint. */
function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++
  return bytes
}

/** How many bytes the manifests of one work may have, unless the hub is told otherwise: 500 KiB. */
export const MANIFEST_LIMIT = 500 * 1024

/**
 * How many manifests a work is given before it is split. The status of a work says about 0.9 KB of each manifest, more of
 * one that fails, and up to 256 KiB of feedback; etcd takes 1.5 MiB for spec and status together.
 */
export const MANIFEST_COUNT_LIMIT = 500

/** What Go's JSON writes as six bytes, though JSON would not need it. */
const ESCAPED = /[<>&\u2028\u2029]/g
const ESCAPED_BYTES = 6

/**
 * How much of the limit a manifest takes: its JSON as Go writes it, in a field of protobuf with its tag and its length.
 * Open Cluster Management counts like that, so a work that fits here fits there.
 */
export function manifestSize(manifest: object): number {
  const text = JSON.stringify(manifest)
  let bytes = Buffer.byteLength(text)
  for (const [character] of text.matchAll(ESCAPED)) bytes += ESCAPED_BYTES - Buffer.byteLength(character)
  return 1 + varintBytes(bytes) + bytes
}

/** Protobuf writes lengths in groups of seven bits. */
function varintBytes(value: number): number {
  let bytes = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++
  return bytes
}

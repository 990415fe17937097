import { MaestroError } from '../errors.js'

/**
 * What one message has, in bytes. Clients of Maestro in Go receive no more than 4 MiB: a larger event would end their
 * subscription, and again after each attempt, with all that other sources and clusters send on it.
 */
export const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** Attributes of an event besides the metadata of the work, and spaces that the database adds to the metadata. */
const OVERHEAD_BYTES = 256 * 1024
/** Kubernetes accepts annotations of 256 KiB. */
const MAX_METADATA_BYTES = 512 * 1024
const MAX_STATUS_BYTES = MAX_MESSAGE_BYTES - MAX_METADATA_BYTES - OVERHEAD_BYTES

/** Throws `MaestroError` if a bundle does not fit into an event for its agent. */
export function checkSpecSize(dataBytes: number, metadataBytes: number): void {
  check('the metadata of the work', metadataBytes, MAX_METADATA_BYTES)
  check('the bundle', dataBytes + metadataBytes, MAX_MESSAGE_BYTES - OVERHEAD_BYTES)
}

/** Throws `MaestroError` if a status does not fit into an event for its source. */
export function checkStatusSize(bytes: number): void {
  check('the status', bytes, MAX_STATUS_BYTES)
}

/** Whether parts of an event fit into one message. */
export function fitInMessage(...parts: readonly (Buffer | undefined)[]): boolean {
  return parts.reduce((sum, part) => sum + (part?.length ?? 0), OVERHEAD_BYTES) <= MAX_MESSAGE_BYTES
}

function check(what: string, bytes: number, limit: number): void {
  if (bytes > limit) throw new MaestroError('TooLarge', `${what} has ${bytes} bytes, more than ${limit}`)
}

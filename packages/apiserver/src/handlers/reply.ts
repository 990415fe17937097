import type { KubeObject } from '@orrery/kinds'
import { internalError, type Status, type StatusDetails, StatusError } from '@orrery/kinds/values'
import type { Logger } from '@orrery/kube'
import { type Exchange, header, type ReplyHeaders, totalLength } from '../http/exchange.js'
import { negotiate, type ResponseForm } from '../request/accept.js'
import { NoSpace, StorageRefused, StoreRemoved } from '../store/types.js'
import { type Rendered, serialiseObject } from './forms.js'

const JSON_FORM: ResponseForm = { serialization: 'json', shape: 'object', metaVersion: 'v1' }
/** Responses up to this size are sent in one write. */
const ONE_WRITE_BYTES = 512 * 1024

/** Sends a response body. */
export function send(exchange: Exchange, status: number, rendered: Rendered): void | Promise<void> {
  const headers: ReplyHeaders = { 'Cache-Control': 'no-cache, private', 'Content-Type': rendered.contentType }
  const { chunks } = rendered
  if (chunks.length === 1) return exchange.reply(status, headers, chunks[0] as Buffer)
  const size = totalLength(chunks)
  if (size <= ONE_WRITE_BYTES) return exchange.reply(status, headers, Buffer.concat(chunks, size))
  return exchange.replyChunks(status, headers, chunks)
}

/** Sends an object that is not stored. */
export function sendObject(
  exchange: Exchange,
  status: number,
  object: KubeObject | Status | object,
): void | Promise<void> {
  const form = negotiate(header(exchange, 'accept'))
  return send(exchange, status, serialiseObject(object, form.shape === 'object' ? form : JSON_FORM, isPretty(exchange)))
}

/** Sends a document as indented JSON. */
export function sendDocument(exchange: Exchange, document: object): void | Promise<void> {
  return send(exchange, 200, serialiseObject(document, JSON_FORM, true))
}

/** The values that Go's strconv.ParseBool parses as true. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])

/** Returns whether the response is indented: for terminals and browsers. */
export function isPretty(exchange: Exchange): boolean {
  const match = /[?&]pretty=([^&]*)/.exec(exchange.url)
  if (match !== null && match[1] !== '') return TRUE.has(match[1] ?? '')
  const agent = header(exchange, 'user-agent') ?? ''
  return agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0')
}

/**
 * Converts any error into a Status. An error that is not a `StatusError` is a bug: it is logged and returned as a 500.
 */
export function statusOf(error: unknown, log: Logger, exchange: Exchange): Status {
  if (error instanceof StatusError) return error.status
  if (error instanceof StorageRefused) {
    log.error('a write was refused by the storage', { error: error.message })
    return storageStatus(error)
  }
  log.error('a request failed unexpectedly', {
    method: exchange.method,
    path: exchange.url.split('?')[0] ?? '',
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return internalError(error instanceof Error ? error.message : String(error)).status
}

/** Only for a full disk the client can do something: delete objects. */
function storageStatus(error: StorageRefused): Status {
  const { cause } = error
  if (!(cause instanceof NoSpace)) return internalError(`${error.message}. ${repairOf(cause)}`).status
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    reason: 'InsufficientStorage',
    code: 507,
    message: `${error.message}. Nothing was changed: free space on the disk of the data directory and retry`,
  }
}

function repairOf(cause: unknown): string {
  if (cause instanceof StoreRemoved) {
    return 'Stop the server, then restore the data directory or a backup with `orrery apiserver restore`'
  }
  return 'Nothing was changed: check the log of the server and the disk of the data directory'
}

const PAGE_NOT_FOUND = Buffer.from('404 page not found\n')

/**
 * Sends a plain 404 for a path outside every group, which clients interpret as an unknown API instead of an unknown
 * object.
 */
export function sendPageNotFound(exchange: Exchange): void {
  const headers: ReplyHeaders = {
    'Cache-Control': 'no-cache, private',
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
  }
  exchange.reply(404, headers, PAGE_NOT_FOUND)
}

/** Sends an error as JSON, unless the client accepts only another supported form. */
export function sendFailure(exchange: Exchange, status: Status): void {
  if (exchange.status !== 0) return
  const code = status.code ?? 500
  let form = JSON_FORM
  try {
    form = { ...negotiate(header(exchange, 'accept')), shape: 'object' }
  } catch {
    form = JSON_FORM
  }
  const { contentType, chunks } = serialiseObject(inOrder(status), form, isPretty(exchange))
  const headers: ReplyHeaders = { 'Cache-Control': 'no-cache, private', 'Content-Type': contentType }
  const retryAfter = status.details?.retryAfterSeconds
  if (retryAfter !== undefined && retryAfter > 0) headers['Retry-After'] = String(retryAfter)
  if (code === 403) headers['X-Content-Type-Options'] = 'nosniff'
  if (code === 401) headers['WWW-Authenticate'] = 'Bearer realm="kubernetes-master"'
  exchange.reply(code, headers, Buffer.concat(chunks as Buffer[]))
}

/** Returns a Status with its fields in the order of the API type, for clients that compare or show it as text. */
function inOrder({ kind, apiVersion, metadata, status, message, reason, details, code }: Status): Status {
  return {
    kind,
    apiVersion,
    metadata,
    status,
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && { details: detailsInOrder(details) }),
    ...(code !== undefined && { code }),
  }
}

function detailsInOrder({ name, group, kind, uid, causes, retryAfterSeconds }: StatusDetails): StatusDetails {
  return {
    ...(name !== undefined && { name }),
    ...(group !== undefined && { group }),
    ...(kind !== undefined && { kind }),
    ...(uid !== undefined && { uid }),
    ...(causes !== undefined && { causes }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  }
}

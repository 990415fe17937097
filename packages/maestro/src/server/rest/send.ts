import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip, gzip } from 'node:zlib'
import type { Answer } from './answer.js'

/** Smaller answers fit in one packet and do not get faster by compression. */
const MIN_COMPRESSED_BYTES = 1_400
/** The fastest: lists are large and their readers near. */
const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED, chunkSize: 64 * 1024 }
/** No list takes longer, however slowly its reader reads. */
const MAX_STREAM_MS = 5 * 60_000

/** Sends an answer, compressed if the client accepts it. Rejects if the parts fail before the first is sent. */
export async function sendAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  headers: OutgoingHttpHeaders,
): Promise<void> {
  const isCompressible = acceptsGzip(request.headers['accept-encoding'])
  if ('parts' in answer) return sendParts(response, answer.status, answer.parts, headers, isCompressible)
  if (!('body' in answer)) return void response.writeHead(answer.status, headers).end()
  const { status, body, allow } = answer
  const isSmall = body.length < MIN_COMPRESSED_BYTES
  const sent = isCompressible && !isSmall ? await compressed(body) : body
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    'content-length': sent.length,
    ...(sent !== body && { 'content-encoding': 'gzip' }),
    ...(allow !== undefined && { allow }),
  })
  response.end(sent)
}

/** The first part is produced before anything is sent, so that an error until then has its own status. */
async function sendParts(
  response: ServerResponse,
  status: number,
  parts: AsyncIterable<Buffer>,
  headers: OutgoingHttpHeaders,
  isCompressed: boolean,
): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]()
  const first = await iterator.next()
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json',
    ...(isCompressed && { 'content-encoding': 'gzip' }),
  })
  const all = async function* (): AsyncGenerator<Buffer> {
    if (first.done !== true) yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  // One part waits while another is sent: memory does not grow with the list.
  const source = Readable.from(all(), { highWaterMark: 1 })
  const signal = AbortSignal.timeout(MAX_STREAM_MS)
  if (isCompressed) await pipeline(source, createGzip(GZIP_OPTIONS), response, { signal })
  else await pipeline(source, response, { signal })
}

function compressed(body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    gzip(body, GZIP_OPTIONS, (error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

/** Whether `Accept-Encoding` names gzip without forbidding it. */
function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((one) => {
      const [coding = '', ...parameters] = one.split(';').map((part) => part.trim())
      return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    })
}

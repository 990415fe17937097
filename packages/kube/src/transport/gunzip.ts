import { constants } from 'node:buffer'
import type { HttpResponse } from '../client/transport.js'
import { ConnectionError } from './connection-error.js'

/** The decompressed response. `label` is the request, for errors. */
export function gunzipped(response: HttpResponse, label: string): HttpResponse {
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers
  return {
    status: response.status,
    headers,
    body: inflate(response.body, label),
    bytes: () => inflateAll(response, label),
  }
}

async function inflateAll(response: HttpResponse, label: string): Promise<Buffer> {
  const packed = await response.bytes()
  if (packed.length === 0) return packed
  const { gunzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    // A small response can decompress to more than the memory.
    gunzip(packed, { maxOutputLength: constants.MAX_STRING_LENGTH }, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(explained(error, label))
    })
  })
}

async function* inflate(packed: AsyncIterable<Buffer>, label: string): AsyncGenerator<Buffer> {
  const [{ createGunzip }, { pipeline, Readable }] = await Promise.all([import('node:zlib'), import('node:stream')])
  const gunzip = createGunzip()
  try {
    // Errors reach the reader through the iterator, which also ends the pipeline when reading stops.
    yield* pipeline(Readable.from(packed), gunzip, () => undefined) as AsyncIterable<Buffer>
  } catch (error) {
    throw explained(error as Error, label)
  }
}

/** Errors of the connection stay as they are. */
function explained(error: NodeJS.ErrnoException, label: string): Error {
  const { code = '' } = error
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new RangeError(`${label}: the decompressed response is too large: use pages with limit`, { cause: error })
  }
  if (!code.startsWith('Z_')) return error
  return new ConnectionError(`${label}: the response is not gzip`, { code, sent: true, answered: true, cause: error })
}

import { constants } from 'node:buffer'
import type { HttpResponse } from '../client/transport.js'

/** The answer as it was before it was compressed. */
export function gunzipped(response: HttpResponse): HttpResponse {
  const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers
  return { status: response.status, headers, body: inflate(response.body), bytes: () => inflateAll(response) }
}

async function inflateAll(response: HttpResponse): Promise<Buffer> {
  const packed = await response.bytes()
  if (packed.length === 0) return packed
  const { gunzip } = await import('node:zlib')
  return new Promise((resolve, reject) => {
    // A small answer can unpack to more than there is memory for.
    gunzip(packed, { maxOutputLength: constants.MAX_STRING_LENGTH }, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}

async function* inflate(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const [{ createGunzip }, { pipeline, Readable }] = await Promise.all([import('node:zlib'), import('node:stream')])
  const gunzip = createGunzip()
  // Errors reach the reader through the iterator, which also ends the pipeline when reading stops.
  yield* pipeline(Readable.from(packed), gunzip, () => undefined) as AsyncIterable<Buffer>
}

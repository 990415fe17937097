import type { Readable } from 'node:stream'
import { badRequest, type StatusError, tooLarge } from '@orrery/kube'

/** Collects a request body, refusing it as soon as it is longer than the limit. */
export function readBody(source: Readable, declaredLength: string | undefined, limit: number): Promise<Buffer> {
  if (declaredLength !== undefined && Number(declaredLength) > limit) return Promise.reject(overLimit(limit))
  return new Promise((resolve, reject) => {
    let only: Buffer | undefined
    let chunks: Buffer[] | undefined
    let size = 0
    source.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > limit) {
        source.removeAllListeners('data')
        source.resume()
        reject(overLimit(limit))
        return
      }
      // Nearly every body arrives in one piece: keep it without a copy.
      if (only === undefined) only = chunk
      else if (chunks === undefined) chunks = [only, chunk]
      else chunks.push(chunk)
    })
    source.on('end', () => resolve(chunks === undefined ? (only ?? EMPTY) : Buffer.concat(chunks, size)))
    source.on('error', reject)
    source.on('aborted', () => reject(badRequest('the client went away before the request body was complete')))
    source.on('close', () => reject(badRequest('the client went away before the request body was complete')))
  })
}

const EMPTY = Buffer.alloc(0)

function overLimit(limit: number): StatusError {
  return tooLarge(`Request entity too large: limit is ${limit}`)
}

import type { IncomingMessage } from 'node:http'
import { badRequest, tooLarge, unsupportedMediaType } from '@orrery/kinds/values'

/** Reads the JSON that a request brings. Throws a `StatusError` when there is none, or too much of it. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') throw unsupportedMediaType(['application/json'])
  const tooMuch = () => tooLarge(`limit is ${limit}`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooMuch()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw tooMuch()
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw badRequest('the body is not JSON')
  }
}

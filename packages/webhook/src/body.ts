import type { IncomingMessage } from 'node:http'
import { badRequest, tooLarge, unsupportedMediaType } from '@orrery/kinds/values'

/** Reads the JSON body of a request. Throws a `StatusError` if it is not JSON or too large. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') throw unsupportedMediaType(['application/json'])
  const exceeded = () => tooLarge(`limit is ${limit}`)
  if (Number(request.headers['content-length'] ?? 0) > limit) throw exceeded()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw exceeded()
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw badRequest('the body is not valid JSON')
  }
}

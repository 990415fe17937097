import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.js'

/** Reads the JSON in the body of a request. Throws a 400, 413 or 415 that names the problem. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const { 'content-type': type = 'application/json', 'content-length': length = '0' } = request.headers
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(;|$)/i.test(type)) {
    throw new Problem(415, `the content type ${JSON.stringify(type)} is not supported: send application/json`)
  }
  const tooLarge = () => new Problem(413, `the request body is larger than ${maxBytes} bytes`)
  if (Number(length) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch (error) {
    throw new Problem(400, `the request body is not valid JSON: ${(error as Error).message}`)
  }
}

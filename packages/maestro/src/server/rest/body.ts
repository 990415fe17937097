import type { IncomingMessage } from 'node:http'
import { MaestroError } from '../errors.js'

/** Consumers have a name and labels: this is more than any of them needs. */
const MAX_BYTES = 1024 * 1024

/** Reads the JSON object in the body of a request. Throws a 400 or 413 that names the problem. */
export async function readObject(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const tooLarge = () => new MaestroError('TooLarge', `the request body is larger than ${MAX_BYTES} bytes`)
  if (Number(request.headers['content-length'] ?? 0) > MAX_BYTES) throw tooLarge()
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof MaestroError) throw error
    throw new MaestroError('MalformedRequest', `Unable to read request body: ${(error as Error).message}`)
  }
  return objectOf(Buffer.concat(chunks).toString())
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new MaestroError('MalformedRequest', `Invalid request format: ${(error as Error).message}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MaestroError('MalformedRequest', 'Invalid request format: the body must be a JSON object')
  }
  return value as Record<string, unknown>
}

/** A text member, undefined if it is missing or empty. */
export function textMember(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name] ?? ''
  if (typeof value !== 'string') {
    throw new MaestroError('MalformedRequest', `Invalid request format: ${name} must be a string`)
  }
  return value === '' ? undefined : value
}

/** The labels as JSON text, undefined if they are missing. */
export function labelsMember({ labels }: Readonly<Record<string, unknown>>): Buffer | undefined {
  if (labels === undefined || labels === null) return undefined
  const isMap = typeof labels === 'object' && !Array.isArray(labels)
  if (!isMap || Object.values(labels).some((value) => typeof value !== 'string')) {
    throw new MaestroError('MalformedRequest', 'Invalid request format: labels must be an object of strings')
  }
  return Buffer.from(JSON.stringify(labels))
}

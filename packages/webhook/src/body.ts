import type { IncomingMessage } from 'node:http'
import { badRequest, serviceUnavailable, tooLarge, unsupportedMediaType } from '@orrery/kinds/values'
import type { BodyBudget } from './body-budget.js'
import { ValueCounter } from './value-counter.js'

/** The limits of one body. */
export interface BodyLimits {
  readonly maxBytes: number
  /** The number of objects, arrays and commas. */
  readonly maxValues: number
}

/**
 * Reads the JSON body of a request. Throws a `StatusError` if it is not JSON or too large, and ends the request if all
 * bodies together exceed the budget and it holds the most.
 */
export async function readJson(
  request: IncomingMessage,
  { maxBytes, maxValues }: BodyLimits,
  budget: BodyBudget,
): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') throw unsupportedMediaType(['application/json'])
  const exceeded = () => tooLarge(`limit is ${maxBytes}`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw exceeded()
  const hold = budget.open(() => request.destroy(serviceUnavailable('too many request bodies are incomplete')))
  try {
    const chunks: Buffer[] = []
    const values = new ValueCounter()
    let size = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) throw exceeded()
      if (values.add(chunk) > maxValues) throw tooLarge(`limit is ${maxValues} values`)
      hold.add(chunk.length)
      chunks.push(chunk)
    }
    return parse(chunks)
  } finally {
    hold.release()
  }
}

function parse(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    throw badRequest('the body is not valid JSON')
  }
}

import { AdapterError } from '../adapter-error.js'
import type { ApiClient } from '../api/api-client.js'
import { Reader, throwErrors } from '../config/reader.js'
import { objectIn } from './json-file.js'

/** A request of a dry run, with its response. */
export interface RecordedRequest {
  readonly method: string
  readonly url: string
  readonly statusCode: number
  readonly requestBody?: string
  readonly responseBody?: string
}

interface PreparedResponses {
  readonly method: string
  readonly pattern: RegExp
  readonly responses: readonly {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }[]
}

/** An API that answers from a file and records requests. The last response of a request is repeated. */
export class DryApi implements ApiClient {
  readonly requests: RecordedRequest[] = []
  readonly #prepared: readonly PreparedResponses[]
  readonly #used = new Map<PreparedResponses, number>()

  constructor(prepared: readonly PreparedResponses[]) {
    this.#prepared = prepared
  }

  async send({ method, url, body }: Parameters<ApiClient['send']>[0]) {
    const found = this.#prepared.find((one) => (one.method === '*' || one.method === method) && one.pattern.test(url))
    const used = found === undefined ? 0 : (this.#used.get(found) ?? 0)
    if (found !== undefined) this.#used.set(found, used + 1)
    // Without a prepared response, reads find nothing to decide with and writes succeed.
    const response = found?.responses[Math.min(used, found.responses.length - 1)] ?? {
      status: 200,
      headers: {},
      body: '{}',
    }
    this.requests.push({
      method,
      url,
      statusCode: response.status,
      ...(body === undefined ? {} : { requestBody: body }),
      ...(response.body === '' ? {} : { responseBody: response.body }),
    })
    return response
  }
}

/** Reads `{responses: [{match: {method, urlPattern}, responses: [{statusCode, headers, body}]}]}`. */
export function parseResponses(text: string, file: string): PreparedResponses[] {
  const parsed = objectIn(text, file)
  const reader = new Reader(parsed)
  const prepared = reader.list('responses', (item) => {
    const match = item.object('match')
    const method = (match?.string('method') ?? '*').toUpperCase()
    const pattern = patternOf(match)
    match?.end()
    const responses = item.list('responses', (response) => {
      const body = response.value('body')
      return {
        status: response.count('statusCode') ?? 200,
        headers: response.strings('headers'),
        body: body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body),
      }
    })
    return { method, pattern, responses }
  })
  reader.end()
  throwErrors(file, reader.errors)
  return prepared
}

function patternOf(match: Reader | undefined): RegExp {
  const text = match?.string('urlPattern') ?? '.*'
  try {
    return new RegExp(`^(?:${text})$`)
  } catch (error) {
    throw new AdapterError('Configuration', `${match?.at('urlPattern')}: ${(error as Error).message}`)
  }
}

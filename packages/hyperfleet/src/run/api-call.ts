import { isObject } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'
import type { ApiClient, ApiResponse } from '../api/api-client.js'
import type { Adapter } from '../config/load.js'
import type { ApiCall } from '../config/task-config.js'

/** The resource of a request does not exist any more. */
export class ResourceGone extends AdapterError {
  constructor(message: string) {
    super('NotFound', message)
  }
}

/** The code of a 404 for a path that the API does not have, as opposed to a resource. */
const NO_SUCH_PATH = 'HYPERFLEET-NTF-000'

export interface CallContext {
  readonly adapter: Adapter
  readonly api: ApiClient
  readonly signal: AbortSignal
}

/** Sends a request of a task. Throws `ResourceGone` for a 404, and `AdapterError` for any other failure. */
export async function callApi(
  call: ApiCall,
  params: Readonly<Record<string, unknown>>,
  { adapter, api, signal }: CallContext,
): Promise<ApiResponse> {
  const { templates, config } = adapter
  const url = apiPath(templates.render(call.url, params), config.api.version)
  const retry = {
    attempts: call.retryAttempts ?? config.api.retryAttempts,
    backoff: call.retryBackoff ?? config.api.retryBackoff,
    baseMilliseconds: config.api.baseDelayMilliseconds,
    maxMilliseconds: config.api.maxDelayMilliseconds,
  }
  const response = await api.send(
    {
      method: call.method,
      url,
      retry,
      headers: Object.fromEntries(call.headers.map(({ name, value }) => [name, templates.render(value, params)])),
      ...(call.body === undefined ? {} : { body: templates.render(call.body, params) }),
      ...(call.timeoutMilliseconds === undefined ? {} : { timeoutMilliseconds: call.timeoutMilliseconds }),
    },
    signal,
  )
  if (response.status >= 200 && response.status < 300) return response
  const message = `${call.method} ${url} returned ${response.status}: ${response.body.slice(0, 1_024)}`
  if (response.status === 404 && problemCode(response.body) !== NO_SUCH_PATH) throw new ResourceGone(message)
  throw new AdapterError('HyperFleetAPI', message)
}

/** A segment that leads to the parent, as URLs are read: with escapes and backslashes, and without tabs and line breaks. */
const UPWARDS = /(?:^|[/\\])(?:\.|%2e){2}(?=[/\\?#]|$)/i

/** A path of the HyperFleet API, unless it is one already or a URL of another server. */
function apiPath(url: string, version: string): string {
  if (/^https?:\/\//.test(url)) return url
  // A value of an event would choose another resource than the task does.
  if (UPWARDS.test(url.replace(/[\t\r\n]/g, '')))
    throw new AdapterError('Validation', `the URL ${JSON.stringify(url)} must not have ".." segments`)
  const path = url.replace(/^\/+/, '')
  return path.startsWith('api/') ? `/${path}` : `/api/hyperfleet/${version}/${path}`
}

function problemCode(body: string): unknown {
  try {
    const parsed: unknown = JSON.parse(body)
    return isObject(parsed) ? parsed.code : undefined
  } catch {
    return undefined
  }
}

import { serviceUnavailable } from '@orrery/kinds/values'
import type { HttpResponse } from '@orrery/kube/client'

/** The response of a server that is unavailable for a moment. */
export function unavailable(): Promise<HttpResponse> {
  const bytes = Buffer.from(JSON.stringify(serviceUnavailable('flapping').status))
  return Promise.resolve({
    status: 503,
    headers: { 'content-type': 'application/json' },
    body: (async function* () {
      yield bytes
    })(),
    bytes: async () => bytes,
  })
}

import type { IncomingMessage } from 'node:http'
import { tooLarge } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { Route } from '@orrery/kube/serving'

/** So that a flood of requests does not slow down the API server. */
const MAX_REVIEWS = 4

/** Serves the debug endpoint for placements beside probes and metrics. Users authenticate with bearer tokens. */
export async function placementDebugRoute(client: KubeClient): Promise<Route> {
  const { answerDebugRequest, PLACEMENT_DEBUG_PATH } = await import('@orrery/hub')
  const { limited, reviewUser } = await import('@orrery/kube/serving')
  const userOf = limited(MAX_REVIEWS, 'placements', (authorization?: string) => reviewUser(client, authorization))
  return {
    prefix: PLACEMENT_DEBUG_PATH,
    async serve(path, request, response) {
      const user = await userOf(request.headers.authorization)
      const body = (limit: number) => bodyOf(request, limit)
      const { code, result } = await answerDebugRequest(client, { method: request.method ?? '', path, user, body })
      // The rest of a body that was refused is not read, so the connection cannot be reused.
      const connection = code === 200 ? {} : { connection: 'close' }
      response.writeHead(code, { 'content-type': 'application/json', ...connection }).end(JSON.stringify(result))
    },
  }
}

async function bodyOf(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limit) throw tooLarge(`limit is ${limit}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

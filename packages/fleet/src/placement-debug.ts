import type { EmbeddedPaths } from '@orrery/apiserver'
import { answerDebugRequest, PLACEMENT_DEBUG_PATH } from '@orrery/hub'
import type { KubeClient } from '@orrery/kube'

/** Serves the debug endpoint for placements at the API server of an embedded hub. */
export function placementDebugPaths(client: () => KubeClient | undefined): EmbeddedPaths {
  return {
    prefix: PLACEMENT_DEBUG_PATH,
    async serve(exchange, { path }, user) {
      const hub = client()
      const { code, result } =
        hub === undefined
          ? { code: 503, result: { error: 'the hub is starting: retry later' } }
          : await answerDebugRequest(hub, {
              method: exchange.method,
              path,
              user,
              body: (limit) => exchange.body(limit),
            })
      exchange.reply(code, { 'Content-Type': 'application/json' }, Buffer.from(JSON.stringify(result)))
    },
  }
}

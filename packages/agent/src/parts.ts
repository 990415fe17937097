import type { AgentContext, AgentPart } from './context.js'
import { KubeSource } from './work/kube-source.js'
import { startWork } from './work/start.js'

/** Applies the works that the hub's API has for the cluster. */
export async function workPart(context: AgentContext): Promise<AgentPart> {
  const { hub, hubServer, clusterName, clock, log } = context
  const source = new KubeSource({ hub, hubServer, clusterName, clock, log })
  const work = await startWork({ ...context, source })
  return {
    async close() {
      await work.close()
      await source.close()
    },
  }
}

import { type ManagedCluster, ManifestWork } from '@orrery/api'
import { type ControllerSpec, type Informer, isForbidden } from '@orrery/kube'
import type { AgentContext, AgentPart, RunningPart } from '../context.js'
import { isAccepted } from './cluster-report.js'
import { HUB_BACKOFF } from './registration-context.js'
import { meanwhile, type Trigger } from './wakes.js'

export interface PartRunnerOptions {
  readonly parts: readonly AgentPart[]
  readonly context: AgentContext
  readonly clusters: Informer<ManagedCluster>
  /** An informer on the cluster itself: it syncs even if the hub rejects the agent. */
  readonly base: Informer
  /** Whether the hub forbids the agent to read its ManagedCluster. */
  readonly isRefused: () => boolean
  /** Rings each time it does. */
  readonly refusals: Trigger
}

/**
 * Starts the parts of the agent when the hub first accepts the cluster. They run until the session ends, even if the hub denies
 * the cluster later.
 *
 * An agent that starts while its cluster is being detached may not read the ManagedCluster any more. Its parts start too if it
 * may read works: only this agent can delete what they applied.
 */
export class PartRunner {
  readonly #options: PartRunnerOptions
  #running: RunningPart[] | undefined

  constructor(options: PartRunnerOptions) {
    this.#options = options
  }

  controller(): ControllerSpec {
    const { parts, context, clusters, base, isRefused, refusals } = this.#options
    const ref = { name: context.clusterName }
    return {
      name: 'parts',
      wakes: [meanwhile(clusters, base, ref), refusals.wake(base, ref)],
      backoff: HUB_BACKOFF,
      reconcile: async (_, { log, signal }) => {
        if (this.#running !== undefined || parts.length === 0) return
        const cluster = clusters.get(ref)
        const mayStart = cluster === undefined ? isRefused() && (await this.#mayReadWorks(signal)) : isAccepted(cluster)
        if (!mayStart) return
        const running = await startAll(parts, context)
        // Stopped in the meantime: `close` had nothing to close.
        if (signal.aborted) return closeAll(running)
        this.#running = running
        log.info('parts started', { parts: parts.map(({ name }) => name) })
      },
    }
  }

  async close(): Promise<void> {
    await closeAll(this.#running ?? [])
  }

  async #mayReadWorks(signal: AbortSignal): Promise<boolean> {
    const { hub, clusterName } = this.#options.context
    try {
      await hub.list(ManifestWork, { namespace: clusterName, limit: 1, signal })
      return true
    } catch (error) {
      if (isForbidden(error)) return false
      throw error
    }
  }
}

async function startAll(parts: readonly AgentPart[], context: AgentContext): Promise<RunningPart[]> {
  const running: RunningPart[] = []
  try {
    for (const { start } of parts) if (start !== undefined) running.push(await start(context))
    return running
  } catch (error) {
    await closeAll(running)
    throw error
  }
}

async function closeAll(running: readonly RunningPart[]): Promise<void> {
  await Promise.all(running.map((part) => part.close()))
}

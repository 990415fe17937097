import { AGENT_NAMESPACE } from '@orrery/api'
import type { KubeClient, Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { RunningPart } from './context.js'
import { type RunOptions, runOnSpoke } from './run-agent.js'
import { clusterState } from './work/cluster-state.js'
import type { WorkFeatures } from './work/features.js'
import type { WorkOptions } from './work/options.js'
import type { OpenSource } from './work/source.js'
import { startWork } from './work/start.js'

/** Options of an agent that applies works and joins no hub. */
export interface RunWorkOptions {
  /** The cluster to apply works to. */
  readonly spoke: KubeClient
  readonly clusterName: string
  /** Connects to the source of works. */
  readonly openSource: OpenSource
  /** The namespace of the agent's Secrets, which works cannot read or change. Default `open-cluster-management-agent`. */
  readonly namespace?: string
  readonly features?: Partial<WorkFeatures>
  readonly work?: WorkOptions
  /** Default: the system's. */
  readonly clock?: Clock
  readonly log?: Logger
  readonly metrics?: MetricRegistry
}

/**
 * Applies the works of a source to an existing cluster until the signal aborts, without registration on a hub, like the
 * agent of Maestro. Rejects when another process becomes the leader.
 */
export async function runWork(options: RunWorkOptions, run: Pick<RunOptions, 'leaderElect' | 'signal'>): Promise<void> {
  await runOnSpoke(options, run, () => startWorkAlone(options))
}

/** Starts to apply the works of a source. The namespace and CRDs of the agent must be installed. */
export async function startWorkAlone(options: RunWorkOptions): Promise<RunningPart> {
  const { spoke, clusterName, openSource, namespace, features, work, metrics } = options
  const { clock = systemClock, log = silentLogger } = options
  const state = clusterState(spoke, namespace ?? AGENT_NAMESPACE)
  const source = await openSource({ clusterName, clock, log, state })
  const agent = await startWork({
    source,
    spoke,
    clock,
    log,
    ...(namespace !== undefined && { agentNamespace: namespace }),
    ...(features !== undefined && { features }),
    ...(work !== undefined && { options: work }),
    ...(metrics !== undefined && { metrics }),
  })
  return {
    async close() {
      await agent.close()
      await source.close()
    },
  }
}

import { AGENT_NAMESPACE, AppliedManifestWork } from '@orrery/api'
import { CustomResourceDefinition } from '@orrery/kinds'
import { Informers, type KubeClient, type Logger, startControllers } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import type { ControllerHealth } from '@orrery/kube/controller'
import { Discovery } from '@orrery/kube/discovery'
import { silentLogger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { revealManifest } from '@orrery/kube/seal'
import { Blockers } from './applied-work/blockers.js'
import type { Reveal, WorkContext } from './context.js'
import { cleanupController } from './controllers/cleanup.js'
import { evictionController } from './controllers/eviction.js'
import { workController } from './controllers/works.js'
import { ReadCheck } from './executor/reading.js'
import { DEFAULT_WORK_FEATURES, type WorkFeatures } from './features.js'
import { resolveWorkOptions, type WorkOptions } from './options.js'
import { Outcomes } from './outcomes.js'
import { OwnSecrets } from './own-secrets.js'
import { WorkloadPods } from './pods/workload-pods.js'
import type { WorkSource } from './source.js'
import { statusControllers } from './status/index.js'
import { Watches } from './watched/watches.js'
import { addWorkMetrics } from './work-metrics.js'

/** Options of `startWork`. */
export interface StartWorkOptions {
  /** The source of works and target of their status. */
  readonly source: WorkSource
  /** Identifies this agent among those that apply works on the cluster. Default: the source's `hubHash`. */
  readonly agentId?: string | undefined
  /** The cluster to apply works to. */
  readonly spoke: KubeClient
  /**
   * The namespace of the agent's Secrets, which works cannot read or change. Default `open-cluster-management-agent`.
   */
  readonly agentNamespace?: string
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** The registry for metrics of controllers and works. Default none. */
  readonly metrics?: MetricRegistry
  /** Default: those of Open Cluster Management. */
  readonly features?: Partial<WorkFeatures>
  readonly options?: WorkOptions
  /** Reveals the sealed values of manifests. Default: rejects sealed manifests. */
  readonly reveal?: Reveal
}

/** A work agent that is running. */
export interface WorkAgent {
  /** Resolves when all works have been read and the controllers run. */
  whenRunning(): Promise<void>
  readonly health: readonly ControllerHealth[]
  /** Stops the work agent. Applied objects stay. */
  close(): Promise<void>
}

/** Starts to apply the works of a source and to report their status. */
export async function startWork(options: StartWorkOptions): Promise<WorkAgent> {
  const { source, spoke, clock = systemClock, log = silentLogger, metrics = new MetricRegistry() } = options
  const resolved = resolveWorkOptions(options.options ?? {})
  const { clusterName, hubHash } = source
  const informers = new Informers(spoke, { clock, log })
  const discovery = new Discovery(spoke, { clock })
  const { maxWatches, pollMilliseconds } = resolved
  const watched = new Watches({ client: spoke, discovery, clock, log, maxWatches, pollMilliseconds })
  const pods = new WorkloadPods({ client: spoke, clock, log })
  const ownSecrets = new OwnSecrets(options.agentNamespace ?? AGENT_NAMESPACE)
  const context: WorkContext = {
    source,
    agentId: options.agentId ?? hubHash,
    spoke,
    discovery,
    appliedWorks: informers.of(AppliedManifestWork),
    watched,
    pods,
    outcomes: new Outcomes(),
    ownSecrets,
    reads: new ReadCheck(spoke, clock, ownSecrets),
    reveal: options.reveal ?? ((manifest) => revealManifest(manifest, { cluster: clusterName, privateKeys: [] })),
    clock,
    log,
    features: { ...DEFAULT_WORK_FEATURES, ...options.features },
    options: resolved,
  }
  const blockers = new Blockers()
  const controllers = startControllers(
    [
      workController(context, blockers, informers.metadataOf(CustomResourceDefinition)),
      cleanupController(context, blockers),
      evictionController(context),
      ...statusControllers(context),
    ],
    { client: spoke, clock, log, metrics },
  )
  const stopMetrics = addWorkMetrics(metrics, source.works)
  return {
    whenRunning: () => controllers.whenRunning(),
    get health() {
      return controllers.health
    },
    async close() {
      await controllers.stop()
      stopMetrics()
      await Promise.all([watched.close(), pods.close(), informers.close()])
    },
  }
}

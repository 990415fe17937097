import { AGENT_NAMESPACE, AppliedManifestWork } from '@orrery/api'
import {
  type Clock,
  type ControllerHealth,
  Discovery,
  Informers,
  type KubeClient,
  type Logger,
  MetricRegistry,
  silentLogger,
  startControllers,
  systemClock,
} from '@orrery/kube'
import { CustomResourceDefinition } from '@orrery/kube/kinds'
import { revealManifest } from '@orrery/kube/seal'
import { Blockers } from './applied/blockers.js'
import { hubHashOf } from './applied-name.js'
import type { Reveal, WorkContext } from './context.js'
import { cleanupController } from './controllers/cleanup.js'
import { evictionController } from './controllers/eviction.js'
import { workController } from './controllers/works.js'
import { ReadCheck } from './executor/reading.js'
import { DEFAULT_WORK_FEATURES, type WorkFeatures } from './features.js'
import { KubeSource } from './kube-source.js'
import { resolveWorkOptions, type WorkOptions } from './options.js'
import { Outcomes } from './outcomes.js'
import { OwnSecrets } from './own-secrets.js'
import { statusControllers } from './status/index.js'
import { WorkloadPods } from './status/pods/workload-pods.js'
import { Watches } from './watched/watches.js'
import { addWorkMetrics } from './work-metrics.js'

/** How to start applying works. */
export interface StartWorkOptions {
  /** The API of the hub, as the cluster. */
  readonly hub: KubeClient
  /** Where the API server of the hub answers, as the kubeconfig says it. */
  readonly hubServer: string
  /** The name of this cluster on the hub. */
  readonly clusterName: string
  /** Who this agent is, among those that apply works on the cluster. Default: a hash of where the hub answers. */
  readonly agentId?: string | undefined
  /** The cluster to apply works to. */
  readonly spoke: KubeClient
  /** Where the agent keeps its Secrets, which no work can read or change. Default `open-cluster-management-agent`. */
  readonly agentNamespace?: string
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** Where controllers and works are counted. Default nowhere. */
  readonly metrics?: MetricRegistry
  /** Default those of Open Cluster Management. */
  readonly features?: Partial<WorkFeatures>
  readonly options?: WorkOptions
  /** Makes manifests readable that were made unreadable for all but this cluster. Default: refuses them. */
  readonly reveal?: Reveal
}

/** A work agent that runs. */
export interface WorkAgent {
  /** Resolves when all works are known and being worked on. */
  whenRunning(): Promise<void>
  readonly health: readonly ControllerHealth[]
  /** Stops it. What it has applied stays. */
  close(): Promise<void>
}

/** Starts to apply the works of a cluster and to report on them. */
export async function startWork(options: StartWorkOptions): Promise<WorkAgent> {
  const {
    hub,
    hubServer,
    clusterName,
    spoke,
    clock = systemClock,
    log = silentLogger,
    metrics = new MetricRegistry(),
  } = options
  const resolved = resolveWorkOptions(options.options ?? {})
  const hubHash = hubHashOf(hubServer)
  const source = new KubeSource({ client: hub, clusterName, clock, log })
  const informers = new Informers(spoke, { clock, log })
  const discovery = new Discovery(spoke, { clock })
  const { maxWatches, pollMilliseconds } = resolved
  const watched = new Watches({ client: spoke, discovery, clock, log, maxWatches, pollMilliseconds })
  const pods = new WorkloadPods({ client: spoke, clock, log })
  const ownSecrets = new OwnSecrets(options.agentNamespace ?? AGENT_NAMESPACE)
  const context: WorkContext = {
    clusterName,
    hubHash,
    agentId: options.agentId ?? hubHash,
    source,
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
      await Promise.all([source.close(), watched.close(), pods.close(), informers.close()])
    },
  }
}

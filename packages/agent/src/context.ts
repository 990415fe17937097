import type { ControllerSpec, Informers, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { ServerTime } from '@orrery/kube/credentials'
import type { EventRecorder } from '@orrery/kube/events'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { ResolvedAddonOptions } from './addon-options.js'
import type { AgentFeatures } from './features.js'
import type { HubAddress } from './hub-address.js'
import type { WorkOptions } from './work/options.js'

/** Context of all parts for the managed cluster, with any hub. */
export interface SpokeContext {
  /** The cluster that is managed. */
  readonly spoke: KubeClient
  /** Informers on the cluster. They outlive the session with a hub. */
  readonly spokeInformers: Informers
  /** The namespace of the agent's Secrets. */
  readonly agentNamespace: string
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: MetricRegistry
}

/** Context of all parts while the agent is on one hub. */
export interface AgentContext extends SpokeContext {
  /** The hub, as this agent. It uses a new certificate as soon as there is one. */
  readonly hub: KubeClient
  /** Informers on the hub. They end with the session. */
  readonly hubInformers: Informers
  /** The URL of the hub in the kubeconfig: AppliedManifestWorks identify hubs by it. */
  readonly hubServer: string
  /** The address of the hub, for kubeconfigs of others. */
  readonly hubAddress: HubAddress
  /** The time of the hub. */
  readonly hubTime: ServerTime
  readonly clusterName: string
  /** Identifies this agent among the agents of one cluster, if a name was configured. */
  readonly agentId?: string
  /** Records events on the hub. */
  readonly events: EventRecorder
  readonly features: AgentFeatures
  /** The options of the work agent. */
  readonly work: WorkOptions
  /** The options of add-ons. */
  readonly addons: ResolvedAddonOptions
  /** The requested lifetime of certificates; undefined lets the hub decide. */
  readonly certificateSeconds: () => number | undefined
  /** The names of the agent's own Secrets in its namespace. No hub may write them. */
  readonly ownSecretNames: readonly string[]
}

/** A part of the agent, for example the work agent. Registration runs the parts; see `DEFAULT_PARTS`. */
export interface AgentPart {
  readonly name: string
  /** Controllers for the cluster alone. They run from the start of the agent to its end. */
  readonly controllers?: (context: SpokeContext) => readonly ControllerSpec[]
  /** Starts what serves a hub. Called once for each session, when the hub has accepted the cluster. */
  readonly start?: (context: AgentContext) => Promise<RunningPart>
}

/** What a part runs for a hub until it is closed. */
export interface RunningPart {
  close(): Promise<void>
}

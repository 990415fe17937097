import type { Clock, KubeClient, Logger, MetricRegistry } from '@orrery/kube'
import type { AgentFeatures } from './features.js'
import type { Reveal } from './work/context.js'
import type { WorkOptions } from './work/options.js'

/** What a part of the agent that serves one hub has at hand. */
export interface AgentContext {
  /** The hub, as this agent. Certificates are changed under it: it is good for as long as the part runs. */
  readonly hub: KubeClient
  /** The URL of the hub, as the kubeconfig has it: what AppliedManifestWorks tell hubs apart by. */
  readonly hubServer: string
  readonly clusterName: string
  /** Tells agents of one cluster apart, where somebody has given it a name. */
  readonly agentId?: string
  /** The cluster that is managed. */
  readonly spoke: KubeClient
  /** Where the agent keeps its Secrets. */
  readonly agentNamespace: string
  readonly clock: Clock
  readonly log: Logger
  /** Where controllers and works are counted. */
  readonly metrics: MetricRegistry
  readonly features: AgentFeatures
  readonly options: WorkOptions
  /** Reveals what was sealed for the cluster. */
  readonly reveal: Reveal
}

/** A part of the agent that runs until it is closed. */
export interface AgentPart {
  close(): Promise<void>
}

/** Starts running works of a hub. */
export type StartWork = (context: AgentContext) => Promise<AgentPart>

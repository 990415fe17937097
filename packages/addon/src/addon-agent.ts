import type { KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'

/** The agent of an add-on on one managed cluster: its names, and its clients of the hub and of the cluster. */
export interface AddonAgent {
  readonly addonName: string
  readonly clusterName: string
  /** The namespace of the agent. */
  readonly addonNamespace: string
  /** The hub, with the identity of the add-on. */
  readonly hub: KubeClient
  /** The managed cluster. */
  readonly managed: KubeClient
  readonly clock: Clock
  readonly log: Logger
  /** Aborted when the agent stops. */
  readonly signal: AbortSignal
}

import type { Clock, Discovery, KubeClient, Logger } from '@orrery/kube'
import type { WorkFeatures } from './features.js'
import type { ResolvedWorkOptions } from './options.js'
import type { Outcomes } from './outcomes.js'
import type { WorkSource } from './source.js'
import type { WatchedObjects } from './watched/types.js'

/** What every controller of the work agent has at hand. */
export interface WorkContext {
  /** The name of this cluster on the hub: the namespace of its works. */
  readonly clusterName: string
  readonly source: WorkSource
  /** The cluster that works are applied to. */
  readonly spoke: KubeClient
  /** What kinds the cluster has. */
  readonly discovery: Discovery
  /** The objects that works are about. Holders are the keys (`keyOf`) of works. */
  readonly watched: WatchedObjects
  readonly outcomes: Outcomes
  readonly clock: Clock
  readonly log: Logger
  readonly features: WorkFeatures
  readonly options: ResolvedWorkOptions
}

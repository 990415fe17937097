import type { ControllerSpec, Informers, KubeClient, Logger } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { EventRecorder } from '@orrery/kube/events'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { HubFeatures } from './features.js'
import type { HubOptions } from './options.js'

/** What the parts of a hub share: one client, one cache, one event recorder, one metric registry. */
export interface HubContext {
  readonly client: KubeClient
  /** Informers for all parts: the same kind and selection is watched once. */
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventRecorder
  readonly metrics: MetricRegistry
  readonly features: HubFeatures
  readonly options: HubOptions
  /** Aborted when the hub has stopped its controllers and closes. */
  readonly signal: AbortSignal
}

/** A part of a hub: creates its controllers. */
export type HubPart = (context: HubContext) => readonly ControllerSpec[]

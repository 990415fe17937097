import type { Clock, EventRecorder, Informers, KubeClient, Logger } from '@orrery/kube'
import type { HubFeatures } from './features.js'
import type { HubOptions } from './options.js'

/** What every controller of the hub has at hand. */
export interface HubContext {
  readonly client: KubeClient
  readonly informers: Informers
  readonly clock: Clock
  readonly log: Logger
  readonly events: EventRecorder
  readonly features: HubFeatures
  readonly options: HubOptions
}

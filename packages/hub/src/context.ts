import type { ControllerSpec } from '@orrery/kube'
import type { ManagerContext } from '@orrery/kube/manager'
import type { HubFeatures } from './features.js'
import type { HubOptions } from './options.js'

/** What the parts of a hub share: one client, one cache, one event recorder, one metric registry. */
export interface HubContext extends ManagerContext {
  readonly features: HubFeatures
  readonly options: HubOptions
}

/** A part of a hub: creates its controllers. */
export type HubPart = (context: HubContext) => readonly ControllerSpec[]

import type { ControllerSpec } from '@orrery/kube'
import type { HubContext } from './context.js'
import { registrationControllers } from './registration/index.js'

/** Everything that runs on a hub. */
export function hubControllers(context: HubContext): ControllerSpec[] {
  return [...registrationControllers(context)]
}

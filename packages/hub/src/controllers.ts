import type { ControllerSpec } from '@orrery/kube'
import { cleanupControllers } from './cleanup/index.js'
import { clusterSetControllers } from './clustersets/index.js'
import type { HubContext } from './context.js'
import { registrationControllers } from './registration/index.js'
import { workControllers } from './work/index.js'

/** Everything that runs on a hub. */
export function hubControllers(context: HubContext): ControllerSpec[] {
  return [
    ...registrationControllers(context),
    ...clusterSetControllers(context),
    ...cleanupControllers(context),
    ...workControllers(context),
  ]
}

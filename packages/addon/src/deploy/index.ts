import type { ControllerSpec } from '@orrery/kube'
import type { AddonManagerContext } from '../manager/context.js'
import { deployController } from './controller.js'

/** The part that deploys the agents of add-ons and reports their health. */
export function deployControllers(context: AddonManagerContext): ControllerSpec[] {
  return [deployController(context)]
}

import type { ControllerSpec } from '@orrery/kube'
import { configControllers } from './config/index.js'
import { deployControllers } from './deploy/index.js'
import type { AddonManagerContext, AddonPart } from './manager/context.js'
import { registrationControllers } from './registration/index.js'

const PARTS: readonly AddonPart[] = [deployControllers, registrationControllers, configControllers]

/** The controllers of add-ons, of all parts. */
export function addonControllers(context: AddonManagerContext): ControllerSpec[] {
  return PARTS.flatMap((part) => part(context))
}

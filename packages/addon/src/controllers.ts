import type { ControllerSpec } from '@orrery/kube'
import { deployControllers } from './deploy/index.js'
import type { AddonManagerContext, AddonPart } from './manager/context.js'

const PARTS: readonly AddonPart[] = [deployControllers]

/** The controllers of add-ons, of all parts. */
export function addonControllers(context: AddonManagerContext): ControllerSpec[] {
  return PARTS.flatMap((part) => part(context))
}

import type { ControllerSpec } from '@orrery/kube'
import { addonControllers } from './addon/index.js'
import { cleanupControllers } from './cleanup/index.js'
import { clusterSetControllers } from './clustersets/index.js'
import type { HubContext, HubPart } from './context.js'
import { placementControllers } from './placement/index.js'
import { registrationControllers } from './registration/index.js'
import { scoreControllers } from './scores/index.js'
import { workControllers } from './work/index.js'

const PARTS: readonly HubPart[] = [
  registrationControllers,
  clusterSetControllers,
  cleanupControllers,
  placementControllers,
  workControllers,
  addonControllers,
  scoreControllers,
]

/** The controllers of all parts of a hub. */
export function hubControllers(context: HubContext): ControllerSpec[] {
  return PARTS.flatMap((part) => part(context))
}

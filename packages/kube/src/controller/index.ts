export { always } from './always.js'
export { atStart } from './at-start.js'
export type { Backoff } from './backoff.js'
export { type EachOptions, each, type Mapping } from './each.js'
export { ControllerGroup, type ControllerGroupOptions, startControllers } from './group.js'
export type { ControllerHealth } from './health.js'
export type { Leadership } from './leadership.js'
export { byController, byOwner } from './owner-mapping.js'
export {
  annotationsChanged,
  anyOf,
  conditionChanged,
  finalizersChanged,
  generationChanged,
  labelsChanged,
  type Predicate,
} from './predicates.js'
export type { Urgency } from './ready-list.js'
export { requeueAfter, requeueAt, soonest } from './requeue.js'
export type { ControllerSpec, Enqueue, ReconcileContext, Requeue, Wake } from './types.js'
export { type Work, WorkQueue, type WorkQueueOptions } from './workqueue.js'

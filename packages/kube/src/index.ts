export type { DraftOf, Kind, KubeObject, ObjectOf, ObjectRef } from '@orrery/kinds'
export {
  findCondition,
  isAlreadyExists,
  isConditionTrue,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  StatusError,
  setCondition,
} from '@orrery/kinds/values'
export { KubeClient } from './client/client.js'
export { always } from './controller/always.js'
export { each } from './controller/each.js'
export { startControllers } from './controller/group.js'
export { byController, byOwner } from './controller/owner-mapping.js'
export { generationChanged } from './controller/predicates.js'
export { requeueAfter, requeueAt } from './controller/requeue.js'
export type { ControllerSpec, ReconcileContext } from './controller/types.js'
export { Informers } from './informer/informers.js'
export type { Informer } from './informer/types.js'
export { createLogger, type Logger } from './log.js'
export { runControllers } from './manager/run-controllers.js'
export { clientFrom } from './transport/client-from.js'
export { draftOf } from './write/draft.js'
export { ensure } from './write/ensure.js'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './write/finalizers.js'
export { ownerReferenceTo } from './write/owners.js'
export { writeConditions, writeStatus } from './write/status.js'

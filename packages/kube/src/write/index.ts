export { draftOf } from './draft.js'
export { type EnsureOptions, ensure } from './ensure.js'
export { type EnsureCrdsOptions, ensureCrds } from './ensure-crds.js'
export { semanticEqual } from './equal.js'
export { addFinalizer, hasFinalizer, isBeingDeleted, removeFinalizer } from './finalizers.js'
export { changeAnnotations, changeLabels, type KeyChanges } from './labels.js'
export { mergePatchOf } from './merge-patch.js'
export {
  controllerOf,
  isOwnedBy,
  type OwnershipOptions,
  ownerReferenceTo,
  removeOwner,
  setOwner,
  withOwner,
  withoutOwner,
} from './owners.js'
export { type LockedPatchOptions, patchLocked, refOfObject } from './patch.js'
export { retryOnConflict } from './retry.js'
export { type ConditionWriteOptions, type StatusWriteOptions, writeConditions, writeStatus } from './status.js'

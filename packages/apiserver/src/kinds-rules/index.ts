export { applyDefaults } from './defaults/index.js'
export { checkAnnotations, checkLabels } from './labels.js'
export {
  checkFieldManager,
  type NameRule,
  type ObjectMetaRules,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.js'
export { prepareObject } from './prepare.js'
export { type SelectableFields, selectableFields } from './selectable.js'
export { type Strategy, strategyOf } from './strategy.js'
export { validateCreate, validateUpdate } from './validate.js'
export { warningsFor } from './warnings.js'

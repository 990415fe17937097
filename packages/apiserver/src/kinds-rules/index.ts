export { applyDefaults } from './defaults/index.js'
export {
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.js'
export { isPrepared, prepareObject } from './prepare.js'
export { selectableFields } from './selectable.js'
export { type Strategy, strategyOf } from './strategy.js'
export { validateCreate, validateUpdate } from './validate.js'
export { warningsFor } from './warnings.js'

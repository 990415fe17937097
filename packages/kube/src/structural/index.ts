export {
  addAll,
  canonicalJson,
  cloneJson,
  displayed,
  getOwn,
  isObject,
  jsonEqual,
  membersEqual,
  setOwn,
} from '../json.js'
export { Correlation, OldItems } from './correlation.js'
export { dropNulls, fillDefaults } from './defaulting.js'
export { eachEmbedded, typeMetaErrors } from './embedded.js'
export { enforcedFormat } from './formats.js'
export { additionalOf, defaultOf, itemsOf, type JsonSchema, type ValidationRule } from './jsonschema.js'
export { uniquenessErrors } from './listtype.js'
export { pruneUnknown } from './prune.js'
export { ANY_OBJECT, type SchemaNode, schemaTree } from './schematree.js'
export { valueErrors } from './value/errors.js'
export { compileValueSchema, type ValueSchema } from './value/valueschema.js'

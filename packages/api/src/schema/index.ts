export type {
  ArrayOptions,
  EmbeddedObject,
  IntOrStringOptions,
  NumberOptions,
  ObjectOptions,
  SchemaOptions,
  StringOptions,
} from './builders.js'
export { AGE_COLUMN, conditionColumn } from './columns.js'
export {
  conditionFields,
  type LabelSelectorTerms,
  QUALIFIED_NAME,
  type SelectorRequirement,
} from './common.js'
export { type CrdDraft, crdOf } from './crd.js'
export { type AnyKind, type DefinedKind, defineKind, type KindNames, type KindOptions } from './kind.js'
export type { DefaultedField, Field, Fields, New, OptionalField, Read, Schema } from './schema.js'
export { t } from './t.js'

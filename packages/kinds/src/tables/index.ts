export { kindSchema, metaSchemas, structByName, tableResources } from './builtin.js'
export { describeField, describeKind } from './descriptions.js'
export type { Subresource, TableResource, Verb } from './resources.js'
export type {
  AnySchema,
  Field,
  ListSchema,
  MapSchema,
  ScalarSchema,
  ScalarType,
  Schema,
  SchemaChoice,
  StructSchema,
} from './schema.js'
export type { KindTable } from './table.js'
export { tables } from './tables.js'
export { TypeUniverse } from './types.js'

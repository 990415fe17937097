import { additionalOf, type JsonSchema } from '@orrery/cel/schema'
import type { Crd } from '../types.js'

/** Returns whether a schema or any schema inside it meets a condition. */
export function schemaHas(schema: JsonSchema, meets: (schema: JsonSchema) => boolean): boolean {
  return meets(schema) || [...innerSchemas(schema)].some((inner) => schemaHas(inner, meets))
}

/** Returns whether any schema of any version meets a condition. */
export function crdHas(crd: Crd, meets: (schema: JsonSchema) => boolean): boolean {
  return crd.spec.versions.some((version) => {
    const schema = version.schema?.openAPIV3Schema
    return schema !== undefined && schemaHas(schema, meets)
  })
}

function* innerSchemas(schema: JsonSchema): Iterable<JsonSchema> {
  if (Array.isArray(schema.items)) yield* schema.items
  else if (schema.items) yield schema.items
  yield* schema.allOf ?? []
  yield* schema.anyOf ?? []
  yield* schema.oneOf ?? []
  if (schema.not) yield schema.not
  yield* Object.values(schema.properties ?? {})
  const additional = additionalOf(schema)
  if (additional) yield additional
  yield* Object.values(schema.patternProperties ?? {})
  if (typeof schema.additionalItems === 'object') yield schema.additionalItems
  yield* Object.values(schema.definitions ?? {})
  for (const dependency of Object.values(schema.dependencies ?? {})) if (isSchema(dependency)) yield dependency
}

/** A dependency can also be a list of names, or null. */
export function isSchema(dependency: JsonSchema | readonly string[] | null): dependency is JsonSchema {
  return dependency !== null && !Array.isArray(dependency)
}

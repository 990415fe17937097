import type { JsonObject, KubeObject } from '@orrery/kinds'
import type { StructSchema } from '@orrery/kinds/tables'
import type { Resource } from '../kinds/resource.js'
import { ConformError, conform } from '../schema/conform.js'
import { CannotBeHandled } from './decode.js'
import type { Conformed } from './kind-logic.js'

/** Types a value as an object of a built-in kind, in place. Throws `CannotBeHandled`. */
export function typedObject(value: JsonObject, resource: Resource, schema: StructSchema): Conformed {
  try {
    const { object, unknown } = conform(value, schema)
    object.metadata ??= {}
    return { object: object as unknown as KubeObject, unknown }
  } catch (error) {
    if (error instanceof ConformError) throw new CannotBeHandled(resource, error.message)
    throw error
  }
}

import {
  dropNulls,
  eachEmbedded,
  fillDefaults,
  type JsonSchema,
  pruneUnknown,
  type SchemaNode,
  schemaTree,
  typeMetaErrors,
  uniquenessErrors,
  valueErrors,
} from '@orrery/cel/schema'
import type { JsonObject } from '@orrery/kinds'
import { addAll, cloneJson, type FieldError } from '@orrery/kinds/values'

/** The schema of a kind, compiled on first use: most programs use few of the kinds they load. */
export class ObjectSchema {
  readonly #schema: JsonSchema
  #node: SchemaNode | undefined

  constructor(schema: JsonSchema) {
    this.#schema = schema
  }

  /** Validates an object as a server does, without metadata and CEL rules. */
  validate(object: JsonObject): FieldError[] {
    const complete = this.complete(object)
    const node = this.#tree()
    const errors = valueErrors(node, complete, '')
    eachEmbedded(complete, node, '', (resource, path) => addAll(errors, typeMetaErrors(resource, path)))
    addAll(errors, uniquenessErrors(complete, node, ''))
    return errors
  }

  /** The paths of fields that the schema does not declare, sorted. Metadata is not checked. */
  unknownFields(object: JsonObject): string[] {
    return pruneUnknown(cloneJson(object), this.#tree(), true)
  }

  /** A pruned and defaulted copy. */
  complete(object: JsonObject): JsonObject {
    const node = this.#tree()
    const copy = cloneJson(object)
    pruneUnknown(copy, node, true)
    dropNulls(copy, node)
    fillDefaults(copy, node)
    return copy
  }

  #tree(): SchemaNode {
    this.#node ??= schemaTree(this.#schema)
    return this.#node
  }
}

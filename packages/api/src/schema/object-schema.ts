import { addAll, cloneJson, type FieldError, type JsonObject } from '@orrery/kube'
import {
  compileValueSchema,
  dropNulls,
  eachEmbedded,
  fillDefaults,
  type JsonSchema,
  pruneUnknown,
  type SchemaNode,
  schemaTree,
  typeMetaErrors,
  uniquenessErrors,
  type ValueSchema,
  valueErrors,
} from '@orrery/kube/structural'

/** The schema of a kind, compiled when it is first needed: most programs use few of the kinds they load. */
export class ObjectSchema {
  readonly #schema: JsonSchema
  #node: SchemaNode | undefined
  #values: ValueSchema | undefined

  constructor(schema: JsonSchema) {
    this.#schema = schema
  }

  /** What a server would find wrong with an object, but for its metadata and rules in CEL. */
  validate(object: JsonObject): FieldError[] {
    const complete = this.complete(object)
    const node = this.#tree()
    this.#values ??= compileValueSchema(this.#schema)
    const errors = valueErrors(this.#values, complete, '')
    eachEmbedded(complete, node, '', (resource, path) => addAll(errors, typeMetaErrors(resource, path)))
    addAll(errors, uniquenessErrors(complete, node, ''))
    return errors
  }

  /** A copy without unknown fields and needless nulls, and with defaults. */
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

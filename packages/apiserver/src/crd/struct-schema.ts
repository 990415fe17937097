import type { SchemaNode } from '@orrery/cel/schema'
import { type Field, type ListSchema, metaSchemas, type Schema, type StructSchema } from '@orrery/kinds/tables'

const ANY: Schema = { type: 'any' }
const STRING: Schema = { type: 'string' }

/** Returns the schema of a custom resource for server-side apply and managed fields. */
export function resourceSchema(node: SchemaNode, name: string): StructSchema {
  return { ...structOf(node, true), name }
}

function schemaOf(node: SchemaNode): Schema {
  if (node.schema['x-kubernetes-int-or-string']) return { type: 'intOrString' }
  switch (node.type) {
    case 'object':
      return objectOf(node)
    case 'array':
      return listOf(node)
    case 'string':
      return STRING
    case 'boolean':
      return { type: 'boolean' }
    case 'number':
      return { type: 'number' }
    case 'integer':
      return { type: integerType(node.schema.format) }
    default:
      return ANY
  }
}

function integerType(format: string | undefined): 'int32' | 'int64' | 'integer' {
  return format === 'int32' || format === 'int64' ? format : 'integer'
}

function objectOf(node: SchemaNode): Schema {
  const atomic = isAtomic(node)
  if (node.properties.size === 0 && !node.embedded) {
    if (node.hasAdditional) return { type: 'map', values: node.additional ? schemaOf(node.additional) : ANY, atomic }
    if (node.preserveUnknown && !atomic) return ANY
    // An object without a specified structure may have any field; pruning is separate.
    return { type: 'map', values: ANY, atomic }
  }
  return structOf(node, node.embedded)
}

function structOf(node: SchemaNode, isResource: boolean): StructSchema {
  const fields = new Map<string, Field>()
  const required = new Set(node.schema.required)
  for (const [name, property] of node.properties) fields.set(name, fieldOf(name, property, required.has(name)))
  if (isResource) {
    fields.set('apiVersion', { name: 'apiVersion', schema: STRING, required: false })
    fields.set('kind', { name: 'kind', schema: STRING, required: false })
    fields.set('metadata', { name: 'metadata', schema: metaSchemas.ObjectMeta, required: false })
  }
  return {
    type: 'struct',
    fields,
    preserveUnknown: node.preserveUnknown,
    atomic: isAtomic(node),
    embedded: node.embedded,
  }
}

function fieldOf(name: string, node: SchemaNode, required: boolean): Field {
  const field = { name, schema: schemaOf(node), required }
  return node.default === undefined ? field : { ...field, default: node.default }
}

function listOf(node: SchemaNode): ListSchema {
  const topology = node.listType === 'set' || node.listType === 'map' ? node.listType : 'atomic'
  return { type: 'list', items: node.items ? schemaOf(node.items) : ANY, topology, keys: node.listKeys }
}

function isAtomic(node: SchemaNode): boolean {
  return node.schema['x-kubernetes-map-type'] === 'atomic'
}

import { additionalOf, itemsOf, type JsonSchema } from '@orrery/cel/schema'
import type { JsonObject, JsonValue } from '@orrery/kinds'
import { cloneJson } from '@orrery/kinds/values'
import { type Crd, versionOf } from './types.js'

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'
const LIST_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta'
const V3_REF = '#/components/schemas/'
const V2_REF = '#/definitions/'
const API_VERSION_TEXT = "APIVersion is the group and version of this object's schema, as <group>/<version>."
const KIND_TEXT = 'Kind is the kind of this object, in CamelCase.'
const METADATA_TEXT = 'Metadata is the standard metadata of the object.'
const LIST_METADATA_TEXT = 'Metadata is the standard metadata of the list.'
const PRESERVE = 'x-kubernetes-preserve-unknown-fields'
const EMBEDDED = 'x-kubernetes-embedded-resource'

/** The published schemas of one version: of its kind and of its list. */
export interface PublishedSchemas {
  /** The definition name of the kind: the reversed group, the version and the kind. */
  readonly name: string
  readonly schema: JsonObject
  readonly listName: string
  readonly listSchema: JsonObject
}

/** Returns the schemas of a version for OpenAPI v3. */
export function openapiV3Of(crd: Crd, version: string): PublishedSchemas {
  return publish(crd, version, V3_REF, (schema) => asJson(unfolded(schema)))
}

/** Returns the schemas of a version as far as Swagger 2.0 and kubectl support them. */
export function openapiV2Of(crd: Crd, version: string): PublishedSchemas {
  return publish(crd, version, V2_REF, (schema) => {
    const open = schema[PRESERVE] === true || crd.spec.preserveUnknownFields === true
    return open ? undefined : asJson(swagger(schema))
  })
}

type Render = (schema: JsonSchema) => JsonObject | undefined

function publish(crd: Crd, version: string, refs: string, render: Render): PublishedSchemas {
  const { group, names } = crd.spec
  const definition = versionOf(crd, version)
  const kind = names.kind ?? ''
  const listKind = names.listKind ?? `${kind}List`
  const name = definitionName(group, version, kind)
  const schema = definition?.schema?.openAPIV3Schema
  const shown = schema && render(schema)
  const fields = selectableFields(definition?.selectableFields)
  return {
    name,
    schema: {
      ...(shown ? asResource(shown, refs) : { type: 'object' }),
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
      ...fields,
    },
    listName: definitionName(group, version, listKind),
    listSchema: {
      ...listSchema(`${refs}${name}`, listKind, kind, names.plural ?? '', refs),
      'x-kubernetes-group-version-kind': [{ group, version, kind: listKind }],
      ...fields,
    },
  }
}

/** Returns `com.example.v1.Widget` for `example.com`, `v1`, `Widget`. */
export function definitionName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`
}

function selectableFields(fields: readonly { jsonPath: string }[] | undefined): JsonObject {
  if (!fields || fields.length === 0) return {}
  const shown = fields.map(({ jsonPath }) => ({ fieldPath: jsonPath.startsWith('.') ? jsonPath.slice(1) : jsonPath }))
  return { 'x-kubernetes-selectable-fields': shown }
}

function listSchema(itemRef: string, listKind: string, kind: string, plural: string, refs: string): JsonObject {
  return {
    description: `${listKind} is a list of ${kind}`,
    type: 'object',
    required: ['items'],
    properties: {
      ...typeProperties(),
      items: { description: `Items is the list of ${plural}.`, type: 'array', items: { $ref: itemRef } },
      metadata: reference(LIST_META, LIST_METADATA_TEXT, refs),
    },
  }
}

function typeProperties(): JsonObject {
  return {
    apiVersion: { description: API_VERSION_TEXT, type: 'string' },
    kind: { description: KIND_TEXT, type: 'string' },
  }
}

/** Swagger 2.0 ignores siblings of a reference, and its parsers expect that. */
function reference(name: string, description: string, refs: string): JsonObject {
  const $ref = `${refs}${name}`
  return refs === V2_REF ? { description, $ref } : { description, allOf: [{ $ref }] }
}

/** Adds the fields of every resource, at the root and in embedded resources. */
function asResource(schema: JsonObject, refs: string): JsonObject {
  completeEmbedded(schema, refs)
  schema.properties = { ...(schema.properties as JsonObject), ...resourceProperties(refs) }
  return schema
}

function resourceProperties(refs: string): JsonObject {
  return { ...typeProperties(), metadata: reference(OBJECT_META, METADATA_TEXT, refs) }
}

function completeEmbedded(schema: JsonObject, refs: string): void {
  const properties = (schema.properties ?? {}) as JsonObject
  for (const key of Object.keys(properties)) completeEmbedded(properties[key] as JsonObject, refs)
  for (const keyword of ['items', 'additionalProperties']) {
    const inner = schema[keyword]
    if (typeof inner === 'object' && inner !== null) completeEmbedded(inner as JsonObject, refs)
  }
  if (schema[EMBEDDED] !== true || (schema[PRESERVE] === true && refs === V2_REF)) return
  schema.properties = { ...properties, ...resourceProperties(refs) }
  const required = (schema.required ?? []) as JsonValue[]
  schema.required = [...required, ...['kind', 'apiVersion'].filter((name) => !required.includes(name))]
}

function asJson(schema: JsonSchema): JsonObject {
  return cloneJson(schema) as unknown as JsonObject
}

/** Returns a copy of the structural parts of a schema, each changed by `change`. */
function mapped(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const copy = change({ ...schema })
  const items = itemsOf(copy)
  if (items) copy.items = mapped(items, change)
  const additional = additionalOf(copy)
  if (additional) copy.additionalProperties = mapped(additional, change)
  if (copy.properties) {
    const entries = Object.entries(copy.properties).map(([name, property]) => [name, mapped(property, change)] as const)
    copy.properties = Object.fromEntries(entries)
  }
  return copy
}

/** Writes int-or-string out for readers that do not know the extension. */
function unfolded(schema: JsonSchema): JsonSchema {
  return mapped(schema, (node) => {
    if (!node['x-kubernetes-int-or-string'] || spellsOutUnion(node.anyOf) || spellsOutUnion(node.allOf?.[0]?.anyOf)) {
      return node
    }
    const union: JsonSchema[] = [{ type: 'integer' }, { type: 'string' }]
    if (node.anyOf) node.allOf = [{ anyOf: union }, ...(node.allOf ?? [])]
    else node.anyOf = union
    return node
  })
}

function spellsOutUnion(branches: JsonSchema[] | undefined): boolean {
  return branches?.length === 2 && branches[0]?.type === 'integer' && branches[1]?.type === 'string'
}

/** Omits what Swagger 2.0 does not support, and types for which kubectl would refuse what the server accepts. */
function swagger(schema: JsonSchema): JsonSchema {
  return mapped(schema, (node) => {
    const { allOf: _all, anyOf: _any, oneOf: _one, not: _not, default: _default, nullable, ...kept } = node
    const out: JsonSchema = kept
    const open = out[PRESERVE] === true
    if (nullable || open) {
      delete out.items
      delete out.properties
    }
    if (nullable || (open && out.type === 'object') || (out.type === 'array' && !out.items)) delete out.type
    if (out.required) relaxRequired(out)
    return out
  })
}

/** In Swagger 2.0 a nullable field is an optional one. */
function relaxRequired(schema: JsonSchema): void {
  const nullable = (name: string) => schema.properties !== undefined && schema.properties[name]?.nullable === true
  const required = additionalOf(schema)?.nullable ? [] : (schema.required ?? []).filter((name) => !nullable(name))
  if (required.length > 0) schema.required = required
  else delete schema.required
}

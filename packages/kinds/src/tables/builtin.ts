import { parseResources, type TableResource } from './resources.js'
import type { StructSchema } from './schema.js'
import { tables } from './tables.js'
import { TypeUniverse } from './types.js'

const universe = new TypeUniverse(tables)
const tableKeys = new Map(tables.map((table) => [`${table.group}/${table.version}`, table.key]))
const prefixes = new Map(tables.map((table) => [table.openapi, table.key]))
let resources: readonly TableResource[] | undefined

/** Every built-in resource. Parsed once. */
export function tableResources(): readonly TableResource[] {
  resources ??= tables.flatMap((table) => {
    const types = universe.table(table.key)
    return parseResources(table, (kind) => types.schema(kind) as StructSchema)
  })
  return resources
}

/** The struct with an OpenAPI definition name such as `io.k8s.api.core.v1.PodSpec`. Throws if there is none. */
export function structByName(name: string): StructSchema {
  const dot = name.lastIndexOf('.')
  const key = prefixes.get(name.slice(0, dot))
  const found = key === undefined ? undefined : universe.table(key).struct(name.slice(dot + 1))
  if (found === undefined) throw new Error(`no built-in type has the name ${name}`)
  return found
}

/**
 * The schema of any known kind, including those without a resource: `Scale`, `Eviction`, `TokenRequest`, lists,
 * `Status`, …. Request options and `Status` are in every group, because clients send them with the group of the
 * request.
 */
export function kindSchema(group: string, version: string, kind: string): StructSchema | undefined {
  const key = tableKeys.get(`${group}/${version}`)
  const own = key === undefined ? undefined : asKind(universe.table(key).struct(kind))
  return own ?? asKind(universe.table('meta').struct(kind))
}

function asKind(struct: StructSchema | undefined): StructSchema | undefined {
  return struct?.fields.get('kind')?.inlined?.[0] === 'TypeMeta' ? struct : undefined
}

const metaStruct = (name: string): StructSchema => universe.table('meta').schema(name) as StructSchema

/** Types of meta/v1 that requests and responses of every group use. */
export const metaSchemas = {
  ObjectMeta: metaStruct('ObjectMeta'),
  ListMeta: metaStruct('ListMeta'),
  TypeMeta: metaStruct('TypeMeta'),
  LabelSelector: metaStruct('LabelSelector'),
  CreateOptions: metaStruct('CreateOptions'),
  DeleteOptions: metaStruct('DeleteOptions'),
  GetOptions: metaStruct('GetOptions'),
  ListOptions: metaStruct('ListOptions'),
  PatchOptions: metaStruct('PatchOptions'),
  UpdateOptions: metaStruct('UpdateOptions'),
  PartialObjectMetadata: metaStruct('PartialObjectMetadata'),
  PartialObjectMetadataList: metaStruct('PartialObjectMetadataList'),
  Status: metaStruct('Status'),
  Table: metaStruct('Table'),
  WatchEvent: metaStruct('WatchEvent'),
}

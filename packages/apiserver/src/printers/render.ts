import type { JsonObject, JsonValue, KubeObject } from '@orrery/kinds'
import type { Column, Resource } from '../kinds/resource.js'
import type { MetaVersion } from '../request/accept.js'
import { NAME } from './column.js'
import { dig } from './fields.js'
import { FINISHED_POD } from './pod.js'

/** How much of each object its row includes (the `includeObject` query parameter). */
export type IncludeObject = 'None' | 'Metadata' | 'Object'

export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

export interface TableOptions {
  readonly includeObject: IncludeObject
  readonly now: Date
  readonly metaVersion?: MetaVersion
}

/** The part of a resource that tables need. */
export type TableResource = Pick<Resource, 'columns' | 'custom'>

interface Layout {
  readonly columns: readonly Column[]
  readonly definitions: JsonObject[]
  /** The same as JSON. */
  readonly definitionsText: string
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end'

const layouts = new WeakMap<readonly Column[], Layout>()

/** The parts of a list: a long one is encoded item by item. */
export interface ListParts {
  /** All members except the items. */
  readonly head: JsonObject
  /** The member with the items. */
  readonly member: 'items' | 'rows'
  item(object: KubeObject): JsonObject
  /** The same as JSON. */
  itemText(object: KubeObject): string
}

/** Returns a list as a `meta.k8s.io` Table. */
export function tableParts(
  resource: TableResource,
  options: TableOptions & { readonly listMeta: ListMeta },
): ListParts {
  const { columns, definitions } = layoutOf(resource)
  const { listMeta, metaVersion } = options
  const head = { ...typeOf('Table', metaVersion), metadata: { ...listMeta }, columnDefinitions: definitions }
  return textParts(head, 'rows', (object) => row(columns, object, options))
}

/**
 * Returns an object, a watch event or a bookmark as a Table with one row. In a watch only the first event has
 * `headers`; the others have `columnDefinitions: null`.
 */
export function renderTableRow(
  resource: TableResource,
  object: KubeObject,
  options: TableOptions & { readonly headers: boolean },
): Buffer {
  const { columns, definitionsText } = layoutOf(resource)
  const { resourceVersion } = object.metadata
  const meta = resourceVersion === undefined ? {} : { resourceVersion }
  return Buffer.from(
    tableText(options, meta, options.headers ? definitionsText : 'null', row(columns, object, options)),
  )
}

/** Returns the headers of a resource's tables, as the member `columnDefinitions` of a Table. */
export function renderHeaders(resource: TableResource): Buffer {
  return Buffer.from(`"columnDefinitions":${layoutOf(resource).definitionsText}`)
}

/** Returns an object as PartialObjectMetadata. */
export function renderPartialMetadata(object: KubeObject, metaVersion?: MetaVersion): Buffer {
  return Buffer.from(partialMetadata(object, metaVersion))
}

/** Returns a list as PartialObjectMetadataList. */
export function partialMetadataParts(listMeta: ListMeta, metaVersion?: MetaVersion): ListParts {
  const head = { ...typeOf('PartialObjectMetadataList', metaVersion), metadata: { ...listMeta } }
  return textParts(head, 'items', (object) => partialMetadata(object, metaVersion))
}

function textParts(head: JsonObject, member: ListParts['member'], itemText: (object: KubeObject) => string): ListParts {
  return { head, member, itemText, item: (object) => JSON.parse(itemText(object)) as JsonObject }
}

function tableText({ metaVersion }: TableOptions, meta: ListMeta, definitions: string, rows: string): string {
  const head = `${typeHead('Table', metaVersion)},"metadata":${JSON.stringify(meta)}`
  return `${head},"columnDefinitions":${definitions},"rows":[${rows}]}`
}

function typeHead(kind: string, metaVersion: MetaVersion = 'v1'): string {
  return `{"kind":"${kind}","apiVersion":"meta.k8s.io/${metaVersion}"`
}

function typeOf(kind: string, metaVersion: MetaVersion = 'v1'): { kind: string; apiVersion: string } {
  return { kind, apiVersion: `meta.k8s.io/${metaVersion}` }
}

function layoutOf(resource: TableResource): Layout {
  let layout = layouts.get(resource.columns)
  if (layout === undefined) {
    layout = makeLayout(resource)
    layouts.set(resource.columns, layout)
  }
  return layout
}

/**
 * The `Name` column of a custom resource is an ordinary column; that of a built-in resource replaces the common one.
 */
function makeLayout(resource: TableResource): Layout {
  const hasName = !resource.custom && resource.columns.some(({ name }) => name === NAME.name)
  const columns = hasName ? resource.columns : [NAME, ...resource.columns]
  const definitions = columns.map(({ name, type, format, description, priority }) => ({
    name,
    type,
    format,
    description,
    priority,
  }))
  return { columns, definitions, definitionsText: JSON.stringify(definitions) }
}

function row(columns: readonly Column[], object: KubeObject, options: TableOptions): string {
  const cells: JsonValue[] = []
  for (const column of columns) cells.push(column.cell(object, options.now))
  return `{"cells":${JSON.stringify(cells)}${rowConditions(object)},"object":${rowObject(object, options)}}`
}

function rowConditions(object: KubeObject): string {
  if (object.kind !== 'Pod' || object.apiVersion !== 'v1') return ''
  const phase = dig(object.status, 'phase')
  if (phase !== 'Succeeded' && phase !== 'Failed') return ''
  return `,"conditions":[${JSON.stringify(FINISHED_POD[phase])}]`
}

function rowObject(object: KubeObject, { includeObject, metaVersion }: TableOptions): string {
  if (includeObject === 'Object') return JSON.stringify(object)
  // An annotation marks the end of the initial events, so that bookmark always has its metadata.
  const bookmark = object.metadata.annotations?.[INITIAL_EVENTS_END] !== undefined
  return includeObject === 'Metadata' || bookmark ? partialMetadata(object, metaVersion) : 'null'
}

function partialMetadata(object: KubeObject, metaVersion?: MetaVersion): string {
  return `${typeHead('PartialObjectMetadata', metaVersion)},"metadata":${JSON.stringify(object.metadata)}}`
}

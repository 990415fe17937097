import type { StructSchema } from './schema.js'
import type { KindTable } from './table.js'

export type Verb = 'create' | 'get' | 'list' | 'watch' | 'update' | 'patch' | 'delete' | 'deletecollection'

/** One resource at one version, such as `/apis/apps/v1/deployments`. */
export interface TableResource {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly listKind: string
  readonly plural: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly verbs: readonly Verb[]
  readonly schema: StructSchema
  readonly subresources: ReadonlyMap<string, Subresource>
}

/** `status`, `scale`, `token`, …: its own kind and verbs under `<resource>/<name>/`. */
export interface Subresource {
  readonly name: string
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly Verb[]
}

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Parses the resource lines of a table. `schemaOf` returns the struct of a kind of the same table. */
export function parseResources(table: KindTable, schemaOf: (kind: string) => StructSchema): TableResource[] {
  const resources: TableResource[] = []
  let subresources = new Map<string, Subresource>()
  for (const line of table.resources.split('\n')) {
    if (line === '') continue
    if (line.startsWith(' ')) {
      const subresource = parseSubresource(table, line.trimStart())
      subresources.set(subresource.name, subresource)
    } else {
      subresources = new Map()
      resources.push(parseResource(table, line, schemaOf, subresources))
    }
  }
  return resources
}

function parseResource(
  table: KindTable,
  line: string,
  schemaOf: (kind: string) => StructSchema,
  subresources: ReadonlyMap<string, Subresource>,
): TableResource {
  const [plural, kind, scope, ...words] = line.split(' ') as [string, string, string, ...string[]]
  const lists: Record<string, readonly string[]> = {}
  for (const word of words) {
    const colon = word.indexOf(':')
    lists[word.slice(0, colon)] = word.slice(colon + 1).split(',')
  }
  return {
    group: table.group,
    version: table.version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular: kind.toLowerCase(),
    shortNames: lists.short ?? [],
    categories: lists.in ?? [],
    namespaced: scope === 'namespaced',
    verbs: (lists.verbs as readonly Verb[] | undefined) ?? ALL_VERBS,
    schema: schemaOf(kind),
    subresources,
  }
}

function parseSubresource(table: KindTable, line: string): Subresource {
  const [name, kindPath, verbs] = line.split(' ') as [string, string, string]
  const slash = kindPath.indexOf('/')
  const dot = kindPath.indexOf('.', slash)
  const isElsewhere = slash >= 0
  return {
    name,
    group: isElsewhere ? kindPath.slice(0, slash) : table.group,
    version: isElsewhere ? kindPath.slice(slash + 1, dot) : table.version,
    kind: isElsewhere ? kindPath.slice(dot + 1) : kindPath,
    verbs: verbs.split(',') as Verb[],
  }
}

import type { Resource, Subresource, Verb } from '../resource.js'
import type { StructSchema } from '../schema/schema.js'
import type { KindTable } from './table.js'

const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']

/** Reads the resource lines of a table. `schemaOf` finds the struct of a kind of the same table. */
export function parseResources(table: KindTable, schemaOf: (kind: string) => StructSchema): Resource[] {
  const resources: Resource[] = []
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
): Resource {
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
    storage: { bucket: bucketOf(table.group, plural), version: STORED_AS[table.group] ?? table.version },
    columns: [],
    custom: false,
  }
}

/** Groups of more than one version: the version that is stored. */
const STORED_AS: Readonly<Record<string, string>> = { autoscaling: 'v2' }

/** Events are one set of objects with two faces: the core one is what is stored. */
function bucketOf(group: string, plural: string): string {
  return group === '' || (group === 'events.k8s.io' && plural === 'events') ? plural : `${plural}.${group}`
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

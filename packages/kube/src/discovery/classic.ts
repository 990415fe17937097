import type { KubeClient } from '../client/client.js'
import type { ApiGroup, ApiResource, ApiSubresource, ApiVersion } from './types.js'
import { isSegment, NO_SUBRESOURCES, stringsOf, usableFirst, type Wire } from './wire.js'

/** `/api`. */
export interface VersionsDocument {
  kind: 'APIVersions'
  versions: string[]
}

/** `/apis`. */
export interface GroupsDocument {
  kind: 'APIGroupList'
  groups: { name: string; versions: { version: string }[]; preferredVersion: { version: string } }[]
}

interface ResourcesDocument {
  resources: WireResource[]
}

interface WireResource {
  name: string
  singularName: string
  namespaced: boolean
  group: string
  version: string
  kind: string
  verbs: string[]
  shortNames: string[]
  categories: string[]
}

/** How many documents are read at a time. */
const AT_A_TIME = 10

interface NamedGroup {
  readonly name: string
  readonly versions: readonly string[]
}

/** The core group, from `/api`. */
export function readVersions(client: KubeClient, document: Wire<VersionsDocument>): Promise<ApiGroup[]> {
  return readEach(client, [{ name: '', versions: (document.versions ?? []).filter(isSegment) }])
}

/** All other groups, from `/apis`. */
export function readGroups(client: KubeClient, document: Wire<GroupsDocument>): Promise<ApiGroup[]> {
  const groups = (document.groups ?? []).flatMap(({ name, versions, preferredVersion }): NamedGroup[] => {
    if (!isSegment(name)) return []
    const preferred = preferredVersion?.version
    const served = (versions ?? []).map(({ version }) => version).filter(isSegment)
    return [{ name, versions: served.sort((a, b) => Number(b === preferred) - Number(a === preferred)) }]
  })
  return readEach(client, groups)
}

/** Reads the resources of every version. Versions that fail are marked, unless all fail. */
async function readEach(client: KubeClient, groups: readonly NamedGroup[]): Promise<ApiGroup[]> {
  const wanted = groups.flatMap(({ name, versions }) => versions.map((version) => ({ name, version })))
  const failures: unknown[] = []
  const read = await mapSome(wanted, AT_A_TIME, async ({ name, version }): Promise<ApiVersion> => {
    try {
      return await readVersion(client, name, version)
    } catch (error) {
      failures.push(error)
      return { version, resources: [], failure: error instanceof Error ? error.message : String(error) }
    }
  })
  if (failures.length > 0 && failures.length === wanted.length) throw failures[0]
  let at = 0
  return groups.map(({ name, versions }) => {
    const own = read.slice(at, at + versions.length)
    at += versions.length
    return { name, versions: usableFirst(own) }
  })
}

async function readVersion(client: KubeClient, group: string, version: string): Promise<ApiVersion> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  const document = await client.getJson<Wire<ResourcesDocument>>(path)
  const parts = new Map<string, ApiSubresource[]>()
  const whole: Wire<WireResource>[] = []
  for (const wire of document.resources ?? []) {
    const slash = wire.name?.indexOf('/') ?? -1
    if (slash < 0) whole.push(wire)
    else addPart(parts, wire, slash, { group, version })
  }
  return { version, resources: whole.flatMap((wire) => readResource(group, version, wire, parts)) }
}

function addPart(
  parts: Map<string, ApiSubresource[]>,
  wire: Wire<WireResource>,
  slash: number,
  own: { group: string; version: string },
): void {
  const plural = wire.name?.slice(0, slash) ?? ''
  const name = wire.name?.slice(slash + 1)
  if (!isSegment(name) || !isSegment(wire.kind)) return
  const of = wire.version ? { group: wire.group ?? '', version: wire.version } : own
  const list = parts.get(plural) ?? []
  list.push({ name, ...of, kind: wire.kind, verbs: stringsOf(wire.verbs) })
  parts.set(plural, list)
}

function readResource(
  group: string,
  version: string,
  wire: Wire<WireResource>,
  parts: ReadonlyMap<string, ApiSubresource[]>,
): ApiResource[] {
  if (!isSegment(wire.name) || !isSegment(wire.kind)) return []
  return [
    {
      group,
      version,
      kind: wire.kind,
      plural: wire.name,
      scope: wire.namespaced === true ? 'Namespaced' : 'Cluster',
      singular: wire.singularName || wire.kind.toLowerCase(),
      shortNames: stringsOf(wire.shortNames),
      categories: stringsOf(wire.categories),
      verbs: stringsOf(wire.verbs),
      subresources: parts.get(wire.name) ?? NO_SUBRESOURCES,
    },
  ]
}

/** The results in the order of the items, with a concurrency limit. */
async function mapSome<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = new Array(items.length)
  let next = 0
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index] as T)
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker))
  return results
}

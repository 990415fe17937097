import { formatGroupVersion } from '@orrery/kinds/values'
import { type ResourceArgument, readResourceArgument } from './argument.js'
import type { ApiGroup, ApiResource, KindName, PluralName } from './types.js'

type Index = ReadonlyMap<string, readonly ApiResource[]>

/** All resources of a server, with lookups. */
export class Catalog {
  /** The core group first, then in the order of the server. */
  readonly groups: readonly ApiGroup[]
  /** Every resource at every version: the preferred version of a group first. */
  readonly resources: readonly ApiResource[]
  readonly #kinds: Index
  readonly #plurals: Index
  #byWord: readonly Index[] | undefined

  constructor(groups: readonly ApiGroup[]) {
    this.groups = groups
    this.resources = groups.flatMap(({ versions }) => versions.flatMap(({ resources }) => resources))
    this.#kinds = indexBy(this.resources, ({ group, kind }) => [`${group}/${kind}`])
    this.#plurals = indexBy(this.resources, ({ group, plural }) => [`${group}/${plural}`])
  }

  /** Group versions whose resources may be stale or missing, and why. */
  get unavailable(): ReadonlyMap<string, string> {
    const found = new Map<string, string>()
    for (const { name, versions } of this.groups) {
      for (const { version, failure } of versions) {
        if (failure !== undefined) found.set(formatGroupVersion(name, version), failure)
      }
    }
    return found
  }

  /** The resource of a kind, at the preferred version if none is given. */
  kind({ group, kind, version }: KindName): ApiResource | undefined {
    return atVersion(this.#kinds.get(`${group}/${kind}`), version)
  }

  /** The resource with a plural name, at the preferred version if none is given. */
  resource({ group, plural, version }: PluralName): ApiResource | undefined {
    return atVersion(this.#plurals.get(`${group}/${plural}`), version)
  }

  /** The resources of a category such as `all`, each at its preferred version. */
  category(name: string): ApiResource[] {
    return [...this.#plurals.values()].flatMap((versions) => {
      const [preferred] = versions
      return preferred !== undefined && versions.some(({ categories }) => categories.includes(name)) ? [preferred] : []
    })
  }

  /**
   * The resource that a command line names: `deploy`, `pod`, `Deployment`, `deployments.apps` or
   * `deployments.v1.apps`. If several groups have it, the server's order decides.
   */
  match(text: string): ApiResource | undefined {
    for (const argument of readResourceArgument(text)) {
      for (const index of this.#words()) {
        const found = inGroup(index.get(argument.name) ?? [], argument)
        if (found !== undefined) return found
      }
    }
    return undefined
  }

  /** The resources that one word of a command line names: a category such as `all`, or a resource. */
  matchAll(text: string): ApiResource[] | undefined {
    const members = this.category(text)
    if (members.length > 0) return members
    const one = this.match(text)
    return one && [one]
  }

  /** Names before short names before kinds: the name of a resource wins over the short name of another. */
  #words(): readonly Index[] {
    this.#byWord ??= [
      indexBy(this.resources, ({ plural, singular }) => (plural === singular ? [plural] : [plural, singular])),
      indexBy(this.resources, ({ shortNames }) => shortNames),
      indexBy(this.resources, ({ kind }) => [kind.toLowerCase()]),
    ]
    return this.#byWord
  }
}

function indexBy(resources: readonly ApiResource[], keysOf: (resource: ApiResource) => readonly string[]): Index {
  const index = new Map<string, ApiResource[]>()
  for (const resource of resources) {
    for (const key of keysOf(resource)) {
      const list = index.get(key)
      if (list === undefined) index.set(key, [resource])
      else list.push(resource)
    }
  }
  return index
}

function atVersion(list: readonly ApiResource[] | undefined, version: string | undefined): ApiResource | undefined {
  return version === undefined ? list?.[0] : list?.find((resource) => resource.version === version)
}

/** The first in this group; else the first in a group with this prefix, as `networking` for `networking.k8s.io`. */
function inGroup(list: readonly ApiResource[], { group, version }: ResourceArgument): ApiResource | undefined {
  const fitting = version === undefined ? list : list.filter((resource) => resource.version === version)
  if (group === '') return fitting[0]
  return fitting.find((item) => item.group === group) ?? fitting.find((item) => item.group.startsWith(group))
}

import type { ManifestConfig, ResourceIdentifier } from './manifest-config.js'
import type { ManifestResourceMeta } from './manifest-status.js'

/** The configuration of one object of a work, merged from all configs that select it. */
export type MergedConfig = Pick<ManifestConfig, 'feedbackRules' | 'conditionRules' | 'updateStrategy'>

type Named = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>

/**
 * Merges the configs that select an object. The first rules and the first update strategy apply. `feedbackScrapeType` has no
 * effect: feedback always comes from watches. Undefined if no config applies.
 */
export function configFor(object: Named, configs: readonly ManifestConfig[] | undefined): MergedConfig | undefined {
  if (configs === undefined || configs.length === 0) return undefined
  const matching = indexOf(configs).matching(object)
  const feedbackRules = matching.find(({ feedbackRules }) => (feedbackRules?.length ?? 0) > 0)?.feedbackRules
  const conditionRules = matching.find(({ conditionRules }) => (conditionRules?.length ?? 0) > 0)?.conditionRules
  const updateStrategy = matching.find(({ updateStrategy }) => updateStrategy !== undefined)?.updateStrategy
  if (feedbackRules === undefined && conditionRules === undefined && updateStrategy === undefined) return undefined
  return {
    ...(feedbackRules !== undefined && { feedbackRules }),
    ...(conditionRules !== undefined && { conditionRules }),
    ...(updateStrategy !== undefined && { updateStrategy }),
  }
}

/** Whether the name or the namespace of an identifier is a pattern. */
export function hasWildcard({ namespace = '', name }: ResourceIdentifier): boolean {
  return namespace.includes('*') || name.includes('*')
}

interface Placed {
  readonly config: ManifestConfig
  /** The position among the configs. */
  readonly at: number
}

/** The configs of a work by the objects that they name: a work can have thousands of both. */
class ConfigIndex {
  readonly #named = new Map<string, Placed[]>()
  readonly #patterns: (Placed & { readonly selects: (object: Named) => boolean })[] = []

  constructor(configs: readonly ManifestConfig[]) {
    for (const [at, config] of configs.entries()) {
      const { resourceIdentifier } = config
      if (hasWildcard(resourceIdentifier)) this.#patterns.push({ config, at, selects: compiled(resourceIdentifier) })
      else {
        const key = keyOf(resourceIdentifier)
        const known = this.#named.get(key)
        if (known === undefined) this.#named.set(key, [{ config, at }])
        else known.push({ config, at })
      }
    }
  }

  /** The configs that select an object, in their order. */
  matching(object: Named): ManifestConfig[] {
    const named = this.#named.get(keyOf(object)) ?? []
    const selecting = this.#patterns.filter(({ selects }) => selects(object))
    const all = selecting.length === 0 ? named : [...named, ...selecting].sort((a, b) => a.at - b.at)
    return all.map(({ config }) => config)
  }
}

function keyOf({ group = '', resource, namespace = '', name }: Named): string {
  return JSON.stringify([group, resource, namespace, name ?? ''])
}

const indexes = new WeakMap<readonly ManifestConfig[], ConfigIndex>()

function indexOf(configs: readonly ManifestConfig[]): ConfigIndex {
  const known = indexes.get(configs)
  if (known !== undefined) return known
  const made = new ConfigIndex(configs)
  indexes.set(configs, made)
  return made
}

/** Whether an identifier selects an object. `*` in its name or namespace matches any text. */
export function isIdentifiedBy(object: Named, identifier: ResourceIdentifier): boolean {
  return compiled(identifier)(object)
}

function compiled({ group = '', resource, namespace = '', name }: ResourceIdentifier): (object: Named) => boolean {
  const matchesNamespace = wildcard(namespace)
  const matchesName = wildcard(name)
  return (object) =>
    (object.group ?? '') === group &&
    object.resource === resource &&
    matchesName(object.name ?? '') &&
    matchesNamespace(object.namespace ?? '')
}

/** Compiles a pattern in which `*` matches any text. Matching runs in linear time. */
export function wildcard(pattern: string): (text: string) => boolean {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return (text) => text === pattern
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail) || text.length < head.length + tail.length) return false
    const end = text.length - tail.length
    let at = head.length
    for (const part of rest) {
      const found = text.indexOf(part, at)
      if (found < 0 || found + part.length > end) return false
      at = found + part.length
    }
    return true
  }
}

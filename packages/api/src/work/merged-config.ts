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
  const matching = configs?.filter(({ resourceIdentifier }) => isIdentifiedBy(object, resourceIdentifier)) ?? []
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

/** Whether an identifier selects an object. `*` in its name or namespace matches any text. */
export function isIdentifiedBy(
  object: Named,
  { group = '', resource, namespace = '', name }: ResourceIdentifier,
): boolean {
  return (
    (object.group ?? '') === group &&
    object.resource === resource &&
    matchesWildcard(object.namespace ?? '', namespace) &&
    matchesWildcard(object.name ?? '', name)
  )
}

/** Whether a text matches a pattern in which `*` matches any text. Runs in linear time. */
export function matchesWildcard(text: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*')
  const tail = rest.pop()
  if (tail === undefined) return text === pattern
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

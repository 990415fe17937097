import type { ManifestConfig, ResourceIdentifier } from './manifest-config.js'
import type { ManifestResourceMeta } from './manifest-status.js'

/** What a work says about one of its objects, put together from all its configs that are about it. */
export type MergedConfig = Pick<
  ManifestConfig,
  'feedbackRules' | 'conditionRules' | 'updateStrategy' | 'feedbackScrapeType'
>

type Named = Pick<ManifestResourceMeta, 'group' | 'resource' | 'namespace' | 'name'>

/**
 * The first rules and the first strategy of the configs that are about an object; undefined when none says anything. How
 * feedback is scraped is the last one's to say.
 */
export function configFor(object: Named, configs: readonly ManifestConfig[] | undefined): MergedConfig | undefined {
  const matching = configs?.filter(({ resourceIdentifier }) => isMeant(object, resourceIdentifier)) ?? []
  const feedbackRules = matching.find(({ feedbackRules }) => (feedbackRules?.length ?? 0) > 0)?.feedbackRules
  const conditionRules = matching.find(({ conditionRules }) => (conditionRules?.length ?? 0) > 0)?.conditionRules
  const updateStrategy = matching.find(({ updateStrategy }) => updateStrategy !== undefined)?.updateStrategy
  if (feedbackRules === undefined && conditionRules === undefined && updateStrategy === undefined) return undefined
  return {
    ...(feedbackRules !== undefined && { feedbackRules }),
    ...(conditionRules !== undefined && { conditionRules }),
    ...(updateStrategy !== undefined && { updateStrategy }),
    feedbackScrapeType: matching.at(-1)?.feedbackScrapeType ?? 'Poll',
  }
}

function isMeant(object: Named, { group = '', resource, namespace = '', name }: ResourceIdentifier): boolean {
  return (
    (object.group ?? '') === group &&
    object.resource === resource &&
    matchesWildcard(object.namespace ?? '', namespace) &&
    matchesWildcard(object.name ?? '', name)
  )
}

/** Whether a text is one that the pattern stands for, in which `*` is any text. Takes time linear in both at worst. */
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

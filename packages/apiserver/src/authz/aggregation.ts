import { isDeepStrictEqual } from 'node:util'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { labelSelectorFrom } from '@orrery/kinds/values'
import type { AnyRole } from './rbacobjects.js'

/**
 * The maximum number of characters of the rules of an aggregated ClusterRole. A user who can write a ClusterRole can add
 * its rules to `view`. Without a limit, each change of a ClusterRole would compare all of these rules for seconds. etcd
 * would not store a larger role either.
 */
const MAX_GATHERED = 1_500_000

/**
 * Returns the rules of an aggregated ClusterRole: those of every other ClusterRole that its selectors match, sorted by
 * name, each once. Returns undefined if the role is not aggregated. Throws for an invalid selector or too many rules.
 */
export function aggregatedRules(role: AnyRole, clusterRoles: Iterable<AnyRole>): PolicyRule[] | undefined {
  const { aggregationRule, metadata } = role
  if (aggregationRule === undefined || aggregationRule === null) return undefined
  const others = [...clusterRoles]
    .filter((other) => other.metadata.name !== metadata.name)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1))
  const rules = new Map<string, PolicyRule>()
  let length = 0
  for (const spec of aggregationRule.clusterRoleSelectors ?? []) {
    const selector = labelSelectorFrom(spec)
    for (const other of others) {
      if (!selector.matches(other.metadata.labels)) continue
      for (const rule of other.rules ?? []) {
        const key = ruleKey(rule)
        if (rules.has(key)) continue
        rules.set(key, rule)
        length += key.length
        if (length > MAX_GATHERED) throw new Error(`the aggregated rules have more than ${MAX_GATHERED} characters`)
      }
    }
  }
  return [...rules.values()]
}

/** Returns whether a ClusterRole already has these rules. */
export function hasRules(role: AnyRole, rules: readonly PolicyRule[]): boolean {
  return isDeepStrictEqual((role.rules ?? []).map(ruleKey), rules.map(ruleKey))
}

/** Returns a key that is equal for equal rules; an empty list equals a missing one. */
function ruleKey({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs])
}

import type { FeedbackRule, ResourceIdentifier } from '@orrery/api'
import type { NewManifestConfig, ProbeField } from '../agent-addon.js'

/**
 * The configs of the works of an add-on: the feedback that its health prober needs, and the add-on's own. Configs of the same
 * objects are merged, since the agent of a cluster uses only the first feedback rules for an object.
 */
export function manifestConfigsOf(
  fields: readonly ProbeField[],
  own: readonly NewManifestConfig[] = [],
): readonly NewManifestConfig[] {
  const merged = new Map<string, NewManifestConfig>()
  const add = (config: NewManifestConfig) => {
    const key = keyOf(config.resourceIdentifier)
    const known = merged.get(key)
    merged.set(key, known === undefined ? config : mergedConfig(known, config))
  }
  for (const { resource, rules } of fields) add({ resourceIdentifier: resource, feedbackRules: rules })
  for (const config of own) add(config)
  return [...merged.values()]
}

function mergedConfig(known: NewManifestConfig, config: NewManifestConfig): NewManifestConfig {
  const feedbackRules = (config.feedbackRules ?? []).reduce(withRule, known.feedbackRules ?? [])
  return { ...known, ...config, ...(feedbackRules.length > 0 && { feedbackRules }) }
}

/** The rules with another one. Names of values must be unique: the first path of a name counts. */
function withRule(rules: readonly FeedbackRule[], rule: FeedbackRule): readonly FeedbackRule[] {
  if (rule.type === 'WellKnownStatus') return rules.some(({ type }) => type === rule.type) ? rules : [...rules, rule]
  const names = new Set(rules.flatMap(({ jsonPaths = [] }) => jsonPaths.map(({ name }) => name)))
  const jsonPaths = (rule.jsonPaths ?? []).filter(({ name }) => !names.has(name))
  return jsonPaths.length === 0 ? rules : [...rules, { ...rule, jsonPaths }]
}

function keyOf({ group = '', resource, namespace = '', name }: ResourceIdentifier): string {
  return JSON.stringify([group, resource, namespace, name])
}

import type { ConditionRule, FeedbackRule, ManifestConfig, ManifestResourceMeta } from '@orrery/api'

/** How the status of one manifest is to be found out. */
export interface ManifestSettings {
  readonly feedbackRules: readonly FeedbackRule[]
  readonly conditionRules: readonly ConditionRule[]
}

/** Of all configs that mean the object, the first that has rules of a sort says which. */
export function settingsFor(meta: ManifestResourceMeta, configs: readonly ManifestConfig[]): ManifestSettings {
  let feedbackRules: readonly FeedbackRule[] = []
  let conditionRules: readonly ConditionRule[] = []
  for (const config of configs) {
    if (!means(config, meta)) continue
    if (feedbackRules.length === 0) feedbackRules = config.feedbackRules ?? []
    if (conditionRules.length === 0) conditionRules = config.conditionRules ?? []
  }
  return { feedbackRules, conditionRules }
}

function means({ resourceIdentifier: identifier }: ManifestConfig, meta: ManifestResourceMeta): boolean {
  return (
    (identifier.group ?? '') === (meta.group ?? '') &&
    identifier.resource === meta.resource &&
    matchesPattern(meta.namespace ?? '', identifier.namespace ?? '') &&
    matchesPattern(meta.name ?? '', identifier.name)
  )
}

/** Whether a text is as the pattern says, in which `*` stands for anything. Never slower than text times pattern. */
export function matchesPattern(text: string, pattern: string): boolean {
  const pieces = pattern.split('*')
  const first = pieces[0] as string
  if (pieces.length === 1) return text === pattern
  const last = pieces.at(-1) as string
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false
  const end = text.length - last.length
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}

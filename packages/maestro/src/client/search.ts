import type { LabelRequirement, LabelSelector } from '@orrery/kinds/values'

/** Servers accept at most 10 logical operators in one search. */
const MAX_PUSHED = 6

export interface Search {
  /** Undefined for all sources. */
  readonly source: string | undefined
  /** Undefined for all consumers. */
  readonly consumer: string | undefined
  readonly selector: LabelSelector
  /** Only bundles with a greater ID. */
  readonly after: string | undefined
}

/**
 * The search text of a list. Only requirements that servers evaluate as Kubernetes does are part of it: a label that must be
 * equal to a value, or to one of several. The client has to check all of them.
 */
export function searchText({ source, consumer, selector, after }: Search): string {
  const pushed = selector.requirements.flatMap((requirement) => labelSearch(requirement) ?? []).slice(0, MAX_PUSHED)
  return [
    ...(source === undefined ? [] : [`source='${source}'`]),
    ...(consumer === undefined ? [] : [`consumer_name='${consumer}'`]),
    ...(after === undefined ? [] : [`id>'${after}'`]),
    ...pushed,
  ].join(' and ')
}

/** Keys and values of labels have no characters that need escapes. */
function labelSearch({ key, operator, values }: LabelRequirement): string | undefined {
  const isEqual = operator === '=' || operator === 'in'
  // A missing label has no value: a server would have to return bundles without it as well.
  if (!isEqual || values.length === 0 || values.includes('')) return undefined
  if (values.length === 1) return `payload->'metadata'->'labels'@>'${JSON.stringify({ [key]: values[0] })}'`
  return `payload->'metadata'->'labels'->>'${key}'in(${values.map((value) => `'${value}'`).join(',')})`
}

import type { LabelSelectorSpec } from '@orrery/kinds/values'
import type { WebhookClientConfig } from '../crd/types.js'

/** One rule of a webhook: which requests it is about. */
export interface WebhookRule {
  readonly operations?: readonly string[]
  readonly apiGroups?: readonly string[]
  readonly apiVersions?: readonly string[]
  readonly resources?: readonly string[]
  readonly scope?: string
}

export interface MatchCondition {
  readonly name: string
  readonly expression: string
}

/** A webhook as its configuration object says it, defaults filled in. */
export interface WebhookSpec {
  readonly name: string
  readonly clientConfig: WebhookClientConfig
  readonly rules?: readonly WebhookRule[]
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly matchPolicy?: 'Exact' | 'Equivalent'
  readonly namespaceSelector?: LabelSelectorSpec
  readonly objectSelector?: LabelSelectorSpec
  readonly sideEffects?: string
  readonly timeoutSeconds?: number
  readonly admissionReviewVersions?: readonly string[]
  readonly reinvocationPolicy?: 'Never' | 'IfNeeded'
  readonly matchConditions?: readonly MatchCondition[]
}

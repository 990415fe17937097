import type { KubeObject } from '@orrery/kinds'
import type { MutatingWebhook } from '@orrery/kinds/admissionregistration'
import { type LabelSelector, labelSelectorFrom } from '@orrery/kinds/values'
import { MatchConditions } from './match-conditions.js'

/** A webhook of a configuration object, ready to be called. */
export interface Webhook {
  /** The type of both kinds: a ValidatingWebhook has all fields but `reinvocationPolicy`. */
  readonly spec: MutatingWebhook
  readonly configuration: string
  readonly namespaceSelector: LabelSelector
  readonly objectSelector: LabelSelector
  readonly conditions: MatchConditions
  readonly ignoresFailures: boolean
  readonly timeoutSeconds: number
}

const DEFAULT_TIMEOUT_SECONDS = 10

/** Returns the webhooks of a configuration object. */
export function webhooksOf(configuration: KubeObject): Webhook[] {
  return ((configuration.webhooks ?? []) as MutatingWebhook[]).map((spec) => ({
    spec,
    configuration: configuration.metadata.name ?? '',
    namespaceSelector: labelSelectorFrom(spec.namespaceSelector ?? {}),
    objectSelector: labelSelectorFrom(spec.objectSelector ?? {}),
    conditions: new MatchConditions(spec.matchConditions ?? []),
    ignoresFailures: spec.failurePolicy === 'Ignore',
    timeoutSeconds: spec.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
  }))
}

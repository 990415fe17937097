import { HUB_WEBHOOKS, TRIAL_WEBHOOK } from '@orrery/api'
import { type ApiObject, type Kind, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { CallOptions, KubeClient } from '@orrery/kube'
import { isOwn } from './configurations.js'
import { NOT_ASKING, tryWebhooks } from './trial.js'

/** Whether an API server asks the webhooks of a hub, as seen from outside. */
export type WebhookFinding =
  /** It has not been told of any. */
  | { readonly state: 'none' }
  | { readonly state: 'asked' }
  /** It was told to, and does not reach them. `isDemanded`: it refuses writes that they have no say on. */
  | { readonly state: 'unreachable'; readonly problem: string; readonly isDemanded: boolean }
  /** It was told to; whether it does cannot be seen: they are another installation's, or trying is forbidden. */
  | { readonly state: 'configured' }

/** Finds out by having the API server ask them about something that is never written. */
export async function findWebhooks(client: KubeClient, call: CallOptions = {}): Promise<WebhookFinding> {
  const find = (kind: Kind<ApiObject, object>, name: string) => client.find(kind, { name }, call)
  const [trial, ...own] = await Promise.all([
    find(ValidatingWebhookConfiguration, TRIAL_WEBHOOK),
    ...HUB_WEBHOOKS.map(({ phase, name }) =>
      find(phase === 'mutate' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration, name),
    ),
  ])
  const isDemanded = own.some((configuration) => configuration !== undefined)
  if (trial === undefined || !isOwn(trial)) return { state: isDemanded ? 'configured' : 'none' }
  try {
    const outcome = await tryWebhooks(client, call)
    if (outcome.type === 'unreachable') return { state: 'unreachable', problem: outcome.problem, isDemanded }
    if (outcome.type === 'answered') return { state: 'asked' }
    return { state: 'unreachable', problem: NOT_ASKING, isDemanded }
  } catch (error) {
    if (!isForbidden(error)) throw error
    return { state: 'configured' }
  }
}

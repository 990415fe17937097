import { HUB_WEBHOOKS, TRIAL_WEBHOOK } from '@orrery/api'
import { type ApiObject, type Kind, MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { isOwn } from './configurations.js'
import { NOT_CALLING, tryWebhooks } from './trial.js'

/** Whether an API server calls the webhooks of a hub. */
export type WebhookFinding =
  /** There are no webhook configurations. */
  | { readonly state: 'none' }
  | { readonly state: 'called' }
  /** The API server does not reach them. `isEnforced`: there are webhook configurations, so that writes fail. */
  | { readonly state: 'unreachable'; readonly problem: string; readonly isEnforced: boolean }
  /** There are configurations; whether they work is not known: they belong to another installation, or the trial is forbidden. */
  | { readonly state: 'configured' }

/** Finds out with a dry run that the API server has to call the trial webhook for. */
export async function findWebhooks(client: KubeClient, call: CallOptions = {}): Promise<WebhookFinding> {
  const find = (kind: Kind<ApiObject, object>, name: string) => client.find(kind, { name }, call)
  const [trial, ...own] = await Promise.all([
    find(ValidatingWebhookConfiguration, TRIAL_WEBHOOK),
    ...HUB_WEBHOOKS.map(({ phase, name }) =>
      find(phase === 'mutate' ? MutatingWebhookConfiguration : ValidatingWebhookConfiguration, name),
    ),
  ])
  const isEnforced = own.some((configuration) => configuration !== undefined)
  if (trial === undefined || !isOwn(trial)) return { state: isEnforced ? 'configured' : 'none' }
  try {
    const outcome = await tryWebhooks(client, call)
    if (outcome.type === 'unreachable') return { state: 'unreachable', problem: outcome.problem, isEnforced }
    if (outcome.type === 'answered') return { state: 'called' }
    return { state: 'unreachable', problem: NOT_CALLING, isEnforced }
  } catch (error) {
    if (!isForbidden(error)) throw error
    return { state: 'configured' }
  }
}

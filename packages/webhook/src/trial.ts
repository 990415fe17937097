import { TRIAL_WEBHOOK, WEBHOOK_SERVICE } from '@orrery/api'
import { type AdmissionResponse, type AdmissionReview, Lease } from '@orrery/kinds'
import { failure, StatusError } from '@orrery/kinds/values'
import type { CallOptions, KubeClient } from '@orrery/kube'
import { TRIAL_LABELS } from './configurations.js'
import { readReview } from './review-request.js'

/** What became of having the API server call the webhooks. */
export type TrialOutcome =
  | { readonly type: 'answered' }
  /** It did not call: it may not have heard of the configuration yet. */
  | { readonly type: 'not-asked' }
  | { readonly type: 'unreachable'; readonly problem: string }

/** What `not-asked` means once the API server has had the time to hear of the configuration. */
export const NOT_ASKING = 'it does not ask: are its admission webhooks turned off?'

const REFUSAL = failure(403, 'Forbidden', 'the webhooks of the hub answer')

/** Refuses, which is what the one who tries waits for: if it passed, nobody could have been asked. */
export function answerTrial(review: unknown): AdmissionReview & { response: AdmissionResponse } {
  const { apiVersion, uid } = readReview(review, Lease)
  return { apiVersion, kind: 'AdmissionReview', response: { uid, allowed: false, status: REFUSAL.status } }
}

/** Has the API server call the webhooks, about something that is never written. */
export async function tryWebhooks(client: KubeClient, options: CallOptions): Promise<TrialOutcome> {
  const { namespace, name } = WEBHOOK_SERVICE
  const metadata = { namespace, name: `${name}-trial`, labels: { ...TRIAL_LABELS } }
  try {
    await client.create(Lease, { metadata }, { ...options, dryRun: true })
    return { type: 'not-asked' }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    if (error.message.includes(`admission webhook "${TRIAL_WEBHOOK}" denied the request`)) return { type: 'answered' }
    const [, problem] = error.message.split(`failed calling webhook "${TRIAL_WEBHOOK}": `)
    if (problem === undefined) throw error
    return { type: 'unreachable', problem }
  }
}

import { TRIAL_WEBHOOK, WEBHOOK_SERVICE } from '@orrery/api'
import { type AdmissionResponse, type AdmissionReview, Lease } from '@orrery/kinds'
import { failure, StatusError } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { TRIAL_LABELS } from './configurations.js'
import { readReview } from './review-request.js'

/** The result of a trial. */
export type TrialOutcome =
  | { readonly type: 'answered' }
  /** The API server did not call the webhook: it may not have loaded the configuration yet. */
  | { readonly type: 'not-called' }
  | { readonly type: 'unreachable'; readonly problem: string }

/** What `not-called` means once the API server has had the time to load the configuration. */
export const NOT_CALLING = 'it does not call them: are its admission webhooks disabled?'

const REFUSAL = failure(403, 'Forbidden', 'the webhooks of the hub answer')

/** Denies every request: if a trial is allowed, the API server has not called the webhook. */
export function answerTrial(review: unknown): AdmissionReview & { response: AdmissionResponse } {
  const { apiVersion, uid } = readReview(review, { kind: Lease })
  return { apiVersion, kind: 'AdmissionReview', response: { uid, allowed: false, status: REFUSAL.status } }
}

/** Runs a dry run that the API server has to call the trial webhook for. */
export async function tryWebhooks(client: KubeClient, options: CallOptions): Promise<TrialOutcome> {
  const { namespace, name } = WEBHOOK_SERVICE
  const metadata = { namespace, name: `${name}-trial`, labels: { ...TRIAL_LABELS } }
  try {
    await client.create(Lease, { metadata }, { ...options, dryRun: true })
    return { type: 'not-called' }
  } catch (error) {
    if (!(error instanceof StatusError)) throw error
    if (error.message.includes(`admission webhook "${TRIAL_WEBHOOK}" denied the request`)) return { type: 'answered' }
    const [, problem] = error.message.split(`failed calling webhook "${TRIAL_WEBHOOK}": `)
    if (problem === undefined) throw error
    return { type: 'unreachable', problem }
  }
}

import { randomUUID } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import { badRequest, internalError, type StatusError } from '@orrery/kinds/values'
import type { AdmissionRequest } from '../admission/types.js'
import { WebhookCallFailure } from './call-failure.js'
import type { WebhookClient } from './client.js'
import { denial } from './denial.js'
import type { Invocation } from './invocation.js'
import { admissionReview, type ReviewAnswer, readAnswer, reviewRequest, reviewVersion } from './review.js'

/** The maximum number of values in a response. Its patch counts as one. */
const MAX_VALUES = 20_000

/**
 * Calls a webhook for a request. Passes on warnings and audit annotations of the response, and throws a denial with the
 * webhook's message. Throws `WebhookCallFailure` if there is no valid response.
 */
export async function ask(
  client: WebhookClient,
  { webhook, resource }: Invocation,
  request: AdmissionRequest,
  [object, oldObject]: readonly [KubeObject | undefined, KubeObject | undefined],
  mutating: boolean,
): Promise<ReviewAnswer> {
  const { name, sideEffects, admissionReviewVersions, clientConfig } = webhook.spec
  if (request.dryRun && sideEffects !== 'None' && sideEffects !== 'NoneOnDryRun') {
    throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`)
  }
  const version = reviewVersion(admissionReviewVersions)
  if (version === undefined) {
    throw new WebhookCallFailure(
      'could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)',
    )
  }
  const uid = randomUUID()
  const review = admissionReview(version, uid, reviewRequest(request, resource), object, oldObject)
  const post = () => client.post(clientConfig, review, webhook.timeoutSeconds, MAX_VALUES)
  const answer = await call(post, 'failed to call webhook')
  const verdict = await call(() => readAnswer(answer, version, uid, mutating), 'received invalid webhook response')
  for (const [key, value] of Object.entries(verdict.auditAnnotations)) request.annotate(`${name}/${key}`, value)
  for (const warning of verdict.warnings) request.warn(warning)
  if (!verdict.allowed) throw denial(name, verdict.result)
  return verdict
}

async function call<T>(step: () => T | Promise<T>, what: string): Promise<T> {
  try {
    return await step()
  } catch (error) {
    throw new WebhookCallFailure(`${what}: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Returns the error of a request if a webhook call failed and the failure policy is `Fail`. */
export function callFailed(name: string, failure: WebhookCallFailure): StatusError {
  return internalError(`failed calling webhook ${JSON.stringify(name)}: ${failure.message}`)
}

import { randomUUID } from 'node:crypto'
import type { KubeObject } from '@orrery/kinds'
import { badRequest, internalError, type Status, StatusError } from '@orrery/kinds/values'
import type { AdmissionRequest } from '../admission/types.js'
import { WebhookCallFailure } from './call-failure.js'
import type { WebhookClient } from './client.js'
import type { Invocation } from './invocation.js'
import { admissionReview, type ReviewAnswer, readAnswer, reviewRequest, reviewVersion } from './review.js'

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
  const answer = await call(() => client.post(clientConfig, review, webhook.timeoutSeconds), 'failed to call webhook')
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

const BAD_REQUEST = 400

function denial(name: string, result: Partial<Status> | undefined): StatusError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`
  const { message, reason, code = 0, details, metadata = {} } = result ?? {}
  const why = text(message) || text(reason)
  const status: Status = {
    kind: 'Status',
    apiVersion: 'v1',
    metadata,
    status: 'Failure',
    message: why === '' ? `${by} without explanation` : `${by}: ${why}`,
    code: typeof code === 'number' && code >= BAD_REQUEST && code < 600 ? code : BAD_REQUEST,
  }
  if (text(reason) !== '' && reason !== undefined) status.reason = reason
  if (details !== undefined) status.details = details
  return new StatusError(status)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

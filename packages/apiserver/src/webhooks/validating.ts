import type { AdmissionPlugin, AdmissionRequest } from '../admission/types.js'
import { ask, callFailed } from './ask.js'
import { WebhookCallFailure } from './call-failure.js'
import { isExempt, type WebhookContext } from './context.js'
import { type Invocation, invocationOf, versionedObjects } from './invocation.js'
import type { Webhook } from './webhook.js'
import type { WebhookIndex } from './webhook-index.js'

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/'

/** Calls all validating webhooks concurrently; one denial is enough. */
export function validatingWebhooks(context: WebhookContext, index: WebhookIndex): AdmissionPlugin {
  return {
    name: 'ValidatingAdmissionWebhook',
    validate(request) {
      const { webhooks } = index
      if (webhooks.length === 0 || isExempt(request)) return undefined
      return validate(context, webhooks, request)
    },
  }
}

async function validate(
  context: WebhookContext,
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
): Promise<void> {
  const invocations: Invocation[] = []
  for (const webhook of webhooks) {
    const invocation = await invocationOf(context, webhook, request)
    if (invocation !== undefined) invocations.push(invocation)
  }
  if (invocations.length === 0) return
  const verdicts = await request.waitFor(() =>
    Promise.allSettled(invocations.map((invocation, position) => askOne(context, invocation, request, position))),
  )
  for (const verdict of verdicts) if (verdict.status === 'rejected') throw verdict.reason
}

async function askOne(
  context: WebhookContext,
  invocation: Invocation,
  request: AdmissionRequest,
  position: number,
): Promise<void> {
  const { webhook, resource } = invocation
  try {
    await ask(context.client, invocation, request, await versionedObjects(context, resource, request), false)
  } catch (error) {
    if (!(error instanceof WebhookCallFailure)) throw error
    if (!webhook.ignoresFailures) throw callFailed(webhook.spec.name, error)
    context.log.warn('a webhook failed and is ignored', { webhook: webhook.spec.name, error: error.message })
    request.annotate(`${FAILED_OPEN}round_0_index_${position}`, webhook.spec.name)
  }
}

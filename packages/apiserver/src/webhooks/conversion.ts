import type { ConversionReview } from '../crd/review.js'
import type { Crd } from '../crd/types.js'
import type { WebhookClient } from './client.js'

/** The timeout of kube-apiserver for conversions. */
const TIMEOUT_SECONDS = 30

/** The maximum number of values in a response: several times the limit of a custom resource. */
const MAX_VALUES = 1_000_000

/** Sends a ConversionReview to the webhook of a definition and returns the parsed response. Throws if that fails. */
export function conversionCaller(client: WebhookClient): (crd: Crd, review: ConversionReview) => Promise<unknown> {
  return (crd, review) =>
    client.post(crd.spec.conversion?.webhook?.clientConfig ?? {}, review, TIMEOUT_SECONDS, MAX_VALUES)
}

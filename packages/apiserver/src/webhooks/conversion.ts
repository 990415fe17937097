import type { ConversionReview } from '../crd/review.js'
import type { Crd } from '../crd/types.js'
import type { WebhookClient } from './client.js'

/** Conversions get as long as kube-apiserver gives them. */
const TIMEOUT_SECONDS = 30

/** Sends a conversion review to the webhook of a definition and returns the parsed answer. Throws when it cannot be had. */
export function conversionCaller(client: WebhookClient): (crd: Crd, review: ConversionReview) => Promise<unknown> {
  return (crd, review) => client.post(crd.spec.conversion?.webhook?.clientConfig ?? {}, review, TIMEOUT_SECONDS)
}

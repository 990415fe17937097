import type { AdmissionPlugin } from '../admission/types.js'
import type { ChangeFeed } from '../store/change-feed.js'
import { matchConditionCheck } from './condition-check.js'
import type { WebhookContext } from './context.js'
import { mutatingWebhooks } from './mutating.js'
import { validatingWebhooks } from './validating.js'
import { WebhookIndex } from './webhook-index.js'

/**
 * The webhook plugins (webhook dispatchers). They follow their configuration objects and cost nothing without any.
 * `builtin` are the plugins to run again after a mutating webhook changed an object.
 */
export function webhookPlugins(
  context: WebhookContext,
  feed: ChangeFeed,
  builtin: readonly AdmissionPlugin[],
): { readonly mutating: AdmissionPlugin; readonly validating: readonly AdmissionPlugin[] } {
  return {
    mutating: mutatingWebhooks(context, new WebhookIndex(context.store, feed, 'mutating'), builtin),
    validating: [matchConditionCheck, validatingWebhooks(context, new WebhookIndex(context.store, feed, 'validating'))],
  }
}

export { WebhookClient } from './client.js'
export type { WebhookContext } from './context.js'
export { conversionCaller } from './conversion.js'
export { type ResolveService, storedService } from './services.js'

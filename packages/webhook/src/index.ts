export type { WebhookState } from './configuration-controller.js'
export {
  conversionTarget,
  type InstallWebhooksOptions,
  installWebhooks,
  type KnownConfigurations,
  removeWebhooks,
  type WebhookConfigurations,
  webhookConfigurations,
} from './configurations.js'
export { findWebhooks, type WebhookFinding } from './finding.js'
export { type HubWebhooks, type HubWebhooksOptions, startHubWebhooks } from './hub-webhooks.js'
export { CONVERSION_PATH, reviewPath } from './paths.js'
export { answerReview } from './review.js'
export { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './server.js'
export { placeOf, type WebhookTarget } from './target.js'

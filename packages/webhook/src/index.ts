export {
  conversionTarget,
  installWebhooks,
  WEBHOOK_PORT,
  WEBHOOK_SERVICE,
  type WebhookConfigurations,
  type WebhookTarget,
  webhookConfigurations,
} from './configurations.js'
export { CONVERSION_PATH, type Phase, reviewPath } from './paths.js'
export { answerReview } from './review.js'
export { startWebhookServer, type WebhookServer, type WebhookServerOptions } from './server.js'

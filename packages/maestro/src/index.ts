export { type MaestroWorkClient, maestroWorkClient } from './client/client.js'
export type { Consumer, ConsumerOptions, Consumers, NewConsumer } from './client/consumers.js'
export type { EverySource, SourceWork, SourceWorkListOptions } from './client/every-source.js'
export { type FeedbackOf, feedback } from './client/feedback.js'
export type { MaestroClientOptions } from './client/options.js'
export type { WorkPatch, WorkPatchType } from './client/patching.js'
export { isRetryable, type RetryOptions } from './client/retry.js'
export type { WorkEvent } from './client/watch/feed.js'
export type {
  AllManifestWorks,
  ConsumerWatchOptions,
  ManifestWorks,
  WorkCallOptions,
  WorkList,
  WorkListOptions,
  WorkPatchOptions,
  WorkWatchOptions,
} from './client/works.js'
export type { CloudEvent, ExtensionValue } from './codec/cloud-event.js'
export { CodecError } from './codec/codec-error.js'
export {
  type EventAction,
  type EventSubResource,
  type EventType,
  formatEventType,
  MANIFEST_BUNDLES,
  parseEventType,
} from './codec/event-type.js'
export { bundleId } from './codec/ids.js'
export type { Material } from './transport/credentials.js'

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

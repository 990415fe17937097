export type { CloudEvent, ExtensionValue } from './codec/cloud-event.js'
export {
  type EventAction,
  type EventType,
  formatEventType,
  MANIFEST_BUNDLES,
  parseEventType,
} from './codec/event-type.js'

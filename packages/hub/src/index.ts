export type { HubContext } from './context.js'
export {
  DEFAULT_HUB_FEATURES,
  EMBEDDED_HUB_FEATURES,
  type HubFeatures,
  parseFeatureGates,
} from './features.js'
export { DEFAULT_HUB_OPTIONS, type HubOptions, resolveHubOptions } from './options.js'

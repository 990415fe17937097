export type { HubContext } from './context.js'
export { DEFAULT_HUB_FEATURES, type HubFeatures } from './features.js'

export { basicAddon } from './addon.js'
export { type Observation, observe, type ReportedPod } from './observe.js'
export { firstPods, type ReportSettings, reportAll } from './reports.js'

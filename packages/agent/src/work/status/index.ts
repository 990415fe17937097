export { statusControllers } from './controller.js'
export { readinessOf } from './readiness/readiness.js'
export type { Readiness } from './readiness/types.js'
export { type StatusOptions, workStatusOf } from './work.js'

export type { ManagerHealth } from './health.js'
export { type Manager, type ManagerContext, type ManagerOptions, startManager } from './manager.js'
export {
  type CustomKind,
  type RunControllersOptions,
  type RunningControllers,
  runControllers,
} from './run-controllers.js'
export { signalOfProcess } from './stop-signal.js'

export { ERROR_REASONS, type ErrorKind, GrpcCode, MaestroError } from './errors.js'
export type { Bundle, BundleStatus } from './store/bundle.js'
export { type Bundles, bundlesIn } from './store/bundles.js'
export { type Consumer, type Consumers, consumersIn } from './store/consumers.js'
export {
  type Database,
  type DatabaseOptions,
  type Json,
  openDatabase,
  type Query,
  type Statement,
  type Subscription,
} from './store/database.js'
export type { ListQuery, ListResult } from './store/list.js'

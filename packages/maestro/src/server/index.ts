export { type MqttConfig, parseMqttConfig } from '../transport/config.js'
export type { Access, Caller, Credentials } from './access/access.js'
export { type SpecChange, type StatusChange, specChangeOf, statusChangeOf } from './core/changes.js'
export { type CoreOptions, type MaestroCore, startCore } from './core/core.js'
export {
  readSpecRequest,
  readStatusReport,
  SERVER_SOURCE,
  type SpecRequest,
  type StatusReport,
  specEventOf,
  statusEventOf,
} from './core/events.js'
export { ERROR_REASONS, type ErrorKind, GrpcCode, MaestroError } from './errors.js'
export { brokerService } from './grpc/broker-service.js'
export { Heartbeats } from './grpc/heartbeats.js'
export { type GrpcPort, type GrpcPortOptions, openGrpcPort } from './grpc/port.js'
export { type CallContext, CallError, type CloudEventService, type EventStream } from './grpc/service.js'
export { type ClosableService, type ServiceOptions, sourceService } from './grpc/source-service.js'
export { openMqttBridge } from './mqtt/open.js'
export type { MqttBridge, MqttBridgeOptions } from './mqtt/options.js'
export type { MaestroAccessOptions, MaestroPorts, MaestroServerOptions, MaestroTls } from './options.js'
export { type MaestroServer, startMaestroServer } from './server.js'
export type { Health } from './serving/probes.js'
export type { TlsFiles, TlsMaterial, TlsSource } from './serving/tls-files.js'
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

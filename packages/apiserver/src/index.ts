export type { Subresource, Verb } from '@orrery/kinds/tables'
export {
  type Clock,
  createLogger,
  type Logger,
  type LoggerOptions,
  type LogLevel,
  silentLogger,
  systemClock,
} from '@orrery/kube'
export type { AdmissionPlugin, AdmissionRequest } from './admission/types.js'
export type { TokenAuthenticator } from './authn/authenticator.js'
export type { InProcessConverter } from './crd/convert.js'
export type { EmbeddedGroup, EmbeddedResource } from './embedded-group.js'
export { BACKUP_PATH, COMPACT_PATH } from './handlers/maintenance.js'
export type { Connector } from './handlers/subresources/connect.js'
export type { Exchange } from './http/exchange.js'
export type { LocalRequest, LocalResponse } from './http/in-process.js'
export type { ServingLimits } from './http/serving-limits.js'
export { ANONYMOUS, type Identity, SYSTEM_MASTER } from './identity.js'
export { LocalClient, type PatchKind, type WatchEvent } from './local-client.js'
export type { ApiServerOptions, AuditOptions, PluginContext } from './options.js'
export { InternalClient, type ResourceRef } from './registry/internal.js'
export type { RequestTarget } from './request/target.js'
export type { Resource } from './resource.js'
export { type ApiServer, startApiServer } from './server.js'
export { compactStore, inspect, restore, type StoreSummary } from './store/maintenance.js'
export { openStore } from './store/open.js'
export { StoreInUse } from './store/ownership.js'

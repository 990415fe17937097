export { Catalog } from './catalog.js'
export { Discovery, type DiscoveryOptions } from './discovery.js'
export { isNoMatch, NoMatchError } from './no-match.js'
export type {
  ApiGroup,
  ApiResource,
  ApiSubresource,
  ApiVersion,
  DynamicObject,
  KindName,
  PluralName,
} from './types.js'
export { type ServerVersion, serverVersion } from './version.js'

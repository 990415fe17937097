export type { OidcOptions } from './access/oidc.js'
export { installOvim, OVIM_SERVICE_ACCOUNT } from './install/install.js'
export type { RetentionOptions } from './operations/operation-lifetime.js'
export type { OvimHubOptions } from './options.js'
export {
  CATALOG_READER_ROLE,
  ORG_ADMIN_ROLE,
  ORG_USER_ROLE,
  ORG_VIEWER_ROLE,
  SYSTEM_ADMIN_ROLE,
} from './organizations/roles.js'
export { type OvimHub, ovimControllers, startOvimHub } from './ovim-hub.js'

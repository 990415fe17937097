import type { RouteSpec } from '../server/router.js'
import { catalogRoutes } from './catalogs.js'
import { consoleRoutes } from './console.js'
import { type UserApiOptions, UserContext } from './context.js'
import { eventRoutes } from './events.js'
import { operationRoutes } from './operations.js'
import { organizationRoutes } from './organizations.js'
import { overviewRoutes } from './overview.js'
import { templateRoutes } from './templates.js'
import { vdcRoutes } from './vdcs.js'
import { vmRoutes } from './vms.js'
import { zoneQuotaRoutes } from './zone-quotas.js'
import { zoneRoutes } from './zones.js'

export const USER_PREFIX = '/api/v1'

/** The API of users. */
export function userRoutes(options: UserApiOptions): RouteSpec[] {
  const context = new UserContext(options)
  return [
    ...organizationRoutes(context),
    ...zoneQuotaRoutes(context),
    ...vdcRoutes(context),
    ...templateRoutes(context),
    ...catalogRoutes(context),
    ...vmRoutes(context),
    ...consoleRoutes(context),
    ...zoneRoutes(context),
    ...operationRoutes(context),
    ...eventRoutes(context),
    ...overviewRoutes(context),
  ]
}

import { resourceName } from '@orrery/kinds/values'
import type { ControllerGroup } from '../controller/group.js'
import type { ControllerHealth } from '../controller/health.js'
import type { Informers } from '../informer/informers.js'
import type { InformerHealth } from '../informer/outage.js'

/** The health of controllers and their informers. */
export interface ManagerHealth {
  /** Whether all controllers run, or stand by for another leader, and all informers watch. */
  readonly isHealthy: boolean
  /** One line for each controller that is behind or does not run, and for each watch that fails. */
  readonly problems: readonly string[]
  readonly controllers: readonly ControllerHealth[]
  readonly informers: readonly (InformerHealth & { readonly resource: string })[]
}

export function healthOf(group: ControllerGroup, informers: Informers): ManagerHealth {
  const controllers = group.health
  const watches = [...informers].map(({ kind, health }) => ({ resource: resourceName(kind), ...health }))
  const problems = problemsOf(controllers, watches)
  return { isHealthy: problems.length === 0, problems, controllers, informers: watches }
}

function problemsOf(controllers: ManagerHealth['controllers'], informers: ManagerHealth['informers']): string[] {
  return [
    ...controllers.filter(({ isBehind }) => isBehind).map(({ name }) => `controller ${name} is behind`),
    ...controllers
      .filter(({ state }) => state !== 'running' && state !== 'standby')
      .map(({ name, state }) => `controller ${name} is ${state}`),
    ...informers
      .filter(({ failingSince }) => failingSince !== undefined)
      .map(({ resource }) => `watch of ${resource} fails`),
  ]
}

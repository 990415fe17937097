import type { KubeObject } from '@orrery/kinds'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { aggregatedRules, hasRules } from '../authz/aggregation.js'
import type { AnyRole } from '../authz/rbacobjects.js'
import { bucketOf } from '../registry/internal.js'
import { type Controller, type ControllerContext, reconciler } from './controller.js'
import { CLUSTER_ROLES } from './resources.js'

const BUCKET = bucketOf(CLUSTER_ROLES)
/** One key for all: roles aggregate each other, so they are reconciled together. */
const ALL = 'clusterroles'

/** Sets the rules of aggregated ClusterRoles. */
export function roleAggregation(context: ControllerContext): Controller {
  const { client, log } = context
  return reconciler(context, {
    name: 'role-aggregation',
    wakes: { [BUCKET]: () => ALL },
    first: () => [ALL],
    async reconcile() {
      const roles = new Map(client.list(CLUSTER_ROLES).map((role) => [role.metadata.name ?? '', role]))
      const settled = settle(roles, (name, error) => log.warn('a ClusterRole cannot be aggregated', { name, error }))
      await Promise.all(
        [...settled].map(([name, rules]) =>
          client.change(CLUSTER_ROLES, '', name, (live) => ({ ...live, rules: structuredClone(rules) })),
        ),
      )
    },
  })
}

/** Returns the rules of every aggregated role whose rules must change, following chains to their end. */
function settle(
  roles: ReadonlyMap<string, KubeObject>,
  onProblem: (name: string, error: unknown) => void,
): Map<string, readonly PolicyRule[]> {
  const changed = new Map<string, readonly PolicyRule[]>()
  const current = new Map<string, AnyRole>([...roles].map(([name, role]) => [name, role as unknown as AnyRole]))
  const gathering = [...current].filter(([, role]) => role.aggregationRule != null).map(([name]) => name)
  // A chain is at most as long as the number of roles; roles that aggregate each other converge too.
  for (let round = 0; round < gathering.length; round++) {
    let moved = false
    for (const name of gathering) {
      const role = current.get(name) as AnyRole
      const rules = rulesOf(role, current.values(), (error) => onProblem(name, error))
      if (rules === undefined || hasRules(role, rules)) continue
      current.set(name, { ...role, rules })
      changed.set(name, rules)
      moved = true
    }
    if (!moved) break
  }
  return changed
}

function rulesOf(
  role: AnyRole,
  roles: Iterable<AnyRole>,
  onProblem: (error: unknown) => void,
): PolicyRule[] | undefined {
  try {
    return aggregatedRules(role, roles)
  } catch (error) {
    onProblem(error)
    return undefined
  }
}

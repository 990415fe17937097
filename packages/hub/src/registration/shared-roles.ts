import { CLUSTER_NAME_LABEL, ManagedCluster } from '@orrery/api'
import { ClusterRole, type Draft, type PolicyRule } from '@orrery/kinds'
import { type ControllerSpec, each, type Informer } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { HubContext } from '../context.js'
import { deleteAccess, ensureAccess } from './access-writer.js'
import { REGISTRATION_ROLE, REGISTRATION_RULES, WORK_ROLE, WORK_RULES } from './agentroles.js'
import { accessInformers } from './cluster-access.js'

const SHARED_ROLES: readonly (readonly [name: string, rules: readonly PolicyRule[]])[] = [
  [REGISTRATION_ROLE, REGISTRATION_RULES],
  [WORK_ROLE, WORK_RULES],
]

/** Ensures the roles that all agents have in the namespaces of their clusters. */
export async function ensureSharedRoles(
  { client, options: { labels } }: Pick<HubContext, 'client' | 'options'>,
  roles: Informer<ClusterRole>,
  options: CallOptions,
): Promise<void> {
  const wanted = SHARED_ROLES.map(
    ([name, rules]): Draft<ClusterRole> => ({
      metadata: { name, labels: { ...labels, [CLUSTER_NAME_LABEL]: '' } },
      rules: [...rules],
    }),
  )
  await Promise.all(
    wanted.map((role) =>
      ensureAccess(client, ClusterRole, role, roles.get({ name: role.metadata.name as string }), options),
    ),
  )
}

/** The one key of this controller: all shared roles are reconciled together. */
const ALL_ROLES = { name: 'shared-roles' }

/** Keeps the shared roles of agents while there are clusters. */
export function sharedRoles(context: HubContext): ControllerSpec {
  const { client, informers } = context
  const clusters = informers.of(ManagedCluster)
  const { roles } = accessInformers(informers)
  return {
    name: 'shared-roles',
    wakes: [
      each(clusters, () => ALL_ROLES, { when: ({ type }) => type !== 'updated' }),
      each(roles, ({ metadata }) => (isShared(metadata.name) ? ALL_ROLES : undefined)),
    ],
    async reconcile(_, { signal }) {
      if (clusters.size > 0) return ensureSharedRoles(context, roles, { signal })
      const left = roles.list().filter(({ metadata }) => isShared(metadata.name))
      await Promise.all(left.map((role) => deleteAccess(client, ClusterRole, role, { signal })))
    },
  }
}

function isShared(name: string): boolean {
  return SHARED_ROLES.some(([shared]) => shared === name)
}

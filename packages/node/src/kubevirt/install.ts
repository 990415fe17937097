import { ClusterRole, type Draft, type PolicyRule } from '@orrery/kinds'
import { ensure, type KubeClient, type Logger } from '@orrery/kube'
import { ensureCrds } from '@orrery/kube/write'
import { KUBEVIRT_CRDS } from './kinds/crds.js'
import { CDI_GROUP, KUBEVIRT_GROUP, SUBRESOURCE_GROUP } from './names.js'
import { INSTANCE_ACTIONS, INSTANCE_VIEWS } from './subresources/instance-actions.js'
import { VM_ACTIONS } from './subresources/vm-actions.js'

const FIELD_MANAGER = 'orrery-kubevirt'
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'delete', 'patch', 'update', ...READ]
const KINDS = ['virtualmachines', 'virtualmachineinstances']

/** Installs the CRDs of KubeVirt and CDI, and the roles that let users of a namespace use them. */
export async function installKubevirt(client: KubeClient, log: Logger): Promise<void> {
  await ensureCrds(client, KUBEVIRT_CRDS, { fieldManager: FIELD_MANAGER, log })
  for (const role of ROLES) {
    const { name = '' } = role.metadata
    const current = await client.find(ClusterRole, { name })
    await ensure(client, ClusterRole, role, current, { fieldManager: FIELD_MANAGER })
  }
}

const views: PolicyRule[] = [
  { apiGroups: [SUBRESOURCE_GROUP], resources: named('virtualmachineinstances', INSTANCE_VIEWS), verbs: ['get'] },
]
const actions: PolicyRule[] = [
  { apiGroups: [SUBRESOURCE_GROUP], resources: named('virtualmachines', VM_ACTIONS), verbs: ['update'] },
  { apiGroups: [SUBRESOURCE_GROUP], resources: named('virtualmachineinstances', INSTANCE_ACTIONS), verbs: ['update'] },
]

/** Administrators and editors of a namespace can also start and stop, and clone its claims; viewers only read. */
const ROLES: readonly Draft<ClusterRole>[] = [
  role('kubevirt.io:admin', 'admin', [...objects(['deletecollection', ...WRITE]), ...views, ...actions, clones()]),
  role('kubevirt.io:edit', 'edit', [...objects(WRITE), ...views, ...actions, clones()]),
  role('kubevirt.io:view', 'view', objects(READ)),
]

function role(name: string, aggregated: string, rules: PolicyRule[]): Draft<ClusterRole> {
  const labels = { [`rbac.authorization.k8s.io/aggregate-to-${aggregated}`]: 'true' }
  return { metadata: { name, labels }, rules }
}

function objects(verbs: string[]): PolicyRule[] {
  return [
    { apiGroups: [KUBEVIRT_GROUP], resources: KINDS, verbs },
    { apiGroups: [CDI_GROUP], resources: ['datavolumes'], verbs },
  ]
}

function clones(): PolicyRule {
  return { apiGroups: [CDI_GROUP], resources: ['datavolumes/source'], verbs: ['create'] }
}

function named(plural: string, table: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(table).map((name) => `${plural}/${name}`)
}

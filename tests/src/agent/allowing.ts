import { ClusterRole, ClusterRoleBinding } from '@orrery/kinds'
import type { Side } from './work-pair.js'

export const RBAC = 'rbac.authorization.k8s.io'

type Subject = NonNullable<ClusterRoleBinding['subjects']>[number]

/** The agent's user, if it is not the administrator. */
export const AGENT: Subject = { kind: 'User', apiGroup: RBAC, name: 'agent' }
/** The service account of executors. */
export const ROBOT: Subject = { kind: 'ServiceAccount', namespace: 'default', name: 'robot' }

/** Sets the permissions of a user on the whole cluster, with a role of this name. */
export async function allow(
  { client }: Side,
  subject: Subject,
  rules: NonNullable<ClusterRole['rules']>,
  name = subject.name,
): Promise<void> {
  const options = { fieldManager: 'test', force: true }
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name }
  await client.apply(ClusterRole, { metadata: { name }, rules }, options)
  await client.apply(ClusterRoleBinding, { metadata: { name }, roleRef, subjects: [subject] }, options)
}

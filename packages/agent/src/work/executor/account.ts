import type { ManifestWorkExecutor } from '@orrery/api'
import { SubjectAccessReview } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { NotAllowedError } from './not-allowed.js'

/** The service account that the executor of a work names. */
export interface Account {
  readonly namespace: string
  readonly name: string
  /** The account as a user name: `system:serviceaccount:<namespace>:<name>`. */
  readonly user: string
}

/** An action on an object, as in an access review. */
export interface Access {
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  /** Empty for cluster-scoped resources. */
  readonly namespace: string
  /** Empty for all objects of the resource. */
  readonly name: string
}

/** The account that an executor names. Throws `NotAllowedError` if it names none. */
export function accountOf(executor: ManifestWorkExecutor): Account {
  const { type, serviceAccount } = executor.subject ?? {}
  if (type !== 'ServiceAccount') throw new NotAllowedError('only support ServiceAccount type for the executor')
  if (serviceAccount === undefined) throw new NotAllowedError('the executor service account is nil')
  const { namespace, name } = serviceAccount
  return { namespace, name, user: `system:serviceaccount:${namespace}:${name}` }
}

/** Checks with an access review whether an account may do something. */
export async function isAllowed(
  client: KubeClient,
  { user, namespace }: Account,
  access: Access,
  signal: AbortSignal,
): Promise<boolean> {
  const groups = ['system:serviceaccounts', 'system:authenticated', `system:serviceaccounts:${namespace}`]
  const spec = { user, groups, resourceAttributes: { ...access } }
  const review = await client.create(SubjectAccessReview, { metadata: {}, spec }, { signal })
  return review.status?.allowed === true
}

/** The kind of binding that grants permissions on an object: `a RoleBinding in namespace "shop"`. */
export function bindingFor({ namespace }: Pick<Access, 'namespace'>): string {
  return namespace === '' ? 'a ClusterRoleBinding' : `a RoleBinding in namespace ${JSON.stringify(namespace)}`
}

import { EXECUTE_AS_VERB, type ManifestWorkExecutor, WORK_GROUP } from '@orrery/api'
import { badRequest } from '@orrery/kube'
import type { ResourceAttributes } from '@orrery/kube/kinds'

/** An account of a managed cluster. */
export interface Account {
  readonly namespace: string
  readonly name: string
}

/** In whose name an executor has works applied. Refuses one that names nobody. */
export function accountOf({ subject }: ManifestWorkExecutor): Account {
  const account = subject?.serviceAccount
  if (account === undefined) throw badRequest('executor service account can not be nil')
  return account
}

/** The right to have works applied in the name of an account: on one cluster, or on all that there are and will be. */
export function rightTo({ namespace, name }: Account, cluster?: string): ResourceAttributes {
  return {
    group: WORK_GROUP,
    resource: 'manifestworks',
    verb: EXECUTE_AS_VERB,
    ...(cluster !== undefined && { namespace: cluster }),
    name: `system:serviceaccount:${namespace}:${name}`,
  }
}

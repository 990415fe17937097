import {
  EXECUTE_AS_VERB,
  type ManifestWorkExecutor,
  type ManifestWorkSpec,
  WORK_GROUP,
  WORK_SERVICE_ACCOUNT,
} from '@orrery/api'
import type { ResourceAttributes } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'

/** A service account on a managed cluster. */
export interface Account {
  readonly namespace: string
  readonly name: string
}

/** The agents' service account. The namespace depends on the cluster. */
const AGENT_ACCOUNT: Account = { namespace: '', name: WORK_SERVICE_ACCOUNT }

/**
 * The service account that a work is applied with, if its author needs the permission to use it: that of the executor or,
 * with the gate NilExecutorValidating, the agent's if there is no executor. Denies an executor without an account.
 */
export function accountToCheck(
  spec: Pick<ManifestWorkSpec, 'executor'> | undefined,
  checksAgents: boolean,
): Account | undefined {
  if (spec?.executor !== undefined) return accountOf(spec.executor)
  return checksAgents ? AGENT_ACCOUNT : undefined
}

function accountOf({ subject }: ManifestWorkExecutor): Account {
  const account = subject?.serviceAccount
  if (account === undefined) throw badRequest('executor service account can not be nil')
  return account
}

/** The permission to apply works with a service account: on one cluster, or on all clusters. */
export function executeAs({ namespace, name }: Account, cluster?: string): ResourceAttributes {
  return {
    group: WORK_GROUP,
    resource: 'manifestworks',
    verb: EXECUTE_AS_VERB,
    ...(cluster !== undefined && { namespace: cluster }),
    name: `system:serviceaccount:${namespace}:${name}`,
  }
}

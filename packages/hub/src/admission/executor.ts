import {
  EXECUTE_AS_VERB,
  type ManifestWorkExecutor,
  type ManifestWorkSpec,
  WORK_GROUP,
  WORK_SERVICE_ACCOUNT,
} from '@orrery/api'
import type { ResourceAttributes } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'

/** An account of a managed cluster. */
export interface Account {
  readonly namespace: string
  readonly name: string
}

/** The account of agents. In which namespace an agent runs is its cluster's business. */
const AGENT_ACCOUNT: Account = { namespace: '', name: WORK_SERVICE_ACCOUNT }

/**
 * The account in whose name a work is applied, if its author needs a right to it: the one that its executor names; for a
 * work without an executor that of the agent, where that is checked, too. Refuses an executor that names nobody.
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

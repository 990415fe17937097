import type { AddOnRegistration, KubeClientRegistration } from '@orrery/api'
import type { RegistrationConfig } from '../agent-addon.js'
import { agentSubject, tokenUser } from '../identity.js'

type KubeClientConfig = Extract<RegistrationConfig, { type: 'kubeClient' }>

/**
 * The registrations of an add-on's status, from the identities that its agent needs and the current ones. The agent of the
 * cluster writes the driver, and with the driver `token` the subject. Everything else is decided here: the agent may write
 * all of the status, and permissions are granted to these subjects.
 *
 * | driver  | subject                                                                  |
 * |---------|--------------------------------------------------------------------------|
 * | none    | as configured                                                            |
 * | `csr`   | as configured, or the default identity                                   |
 * | `token` | the add-on's service account once the agent has written it, or none      |
 */
export function mergeRegistrations(
  configs: readonly RegistrationConfig[],
  current: readonly AddOnRegistration[] | undefined,
  clusterName: string,
  addonName: string,
): AddOnRegistration[] {
  const known = (current ?? []).filter(({ type }) => type === 'kubeClient')
  return configs.map((config) =>
    config.type === 'kubeClient'
      ? { type: 'kubeClient', kubeClient: kubeClientOf(config, known.shift()?.kubeClient, clusterName, addonName) }
      : customSignerOf(config),
  )
}

function kubeClientOf(
  { user, groups }: KubeClientConfig,
  current: KubeClientRegistration | undefined,
  clusterName: string,
  addonName: string,
): KubeClientRegistration {
  const { driver } = current ?? {}
  if (driver === 'token') {
    const account = tokenUser(clusterName, addonName)
    return { driver, ...(current?.subject?.user === account && { subject: { user: account } }) }
  }
  const configured = subjectOf(user, groups)
  if (driver === undefined) return { ...(configured !== undefined && { subject: configured }) }
  const byDefault = agentSubject(clusterName, addonName)
  return { driver, subject: configured ?? { user: byDefault.user, groups: [...byDefault.groups] } }
}

function customSignerOf({
  signerName,
  user,
  groups,
  organizationUnits = [],
}: Extract<RegistrationConfig, { type: 'customSigner' }>): AddOnRegistration {
  const subject = {
    ...subjectOf(user, groups),
    ...(organizationUnits.length > 0 && { organizationUnits: [...organizationUnits] }),
  }
  return {
    type: 'customSigner',
    customSigner: { signerName, ...(Object.keys(subject).length > 0 && { subject }) },
  }
}

function subjectOf(user = '', groups: readonly string[] = []): { user?: string; groups?: string[] } | undefined {
  if (user === '' && groups.length === 0) return undefined
  return { ...(user !== '' && { user }), ...(groups.length > 0 && { groups: [...groups] }) }
}

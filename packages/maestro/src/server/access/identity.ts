import type { PeerCertificate } from 'node:tls'
import { AGENT_SUBJECT_PREFIX } from '@orrery/api'
import type { Caller } from './access.js'

/** The caller of a client certificate: the common name is the user, the organizations are the groups. */
export function callerOf({ subject }: PeerCertificate): Caller | undefined {
  // A subject can have several values of a name, and old certificates can have no subject.
  const { CN, O } = (subject ?? {}) as Partial<Record<'CN' | 'O', string | string[]>>
  const [user = ''] = [CN ?? ''].flat()
  return user === '' ? undefined : { user, groups: [O ?? []].flat() }
}

/**
 * The cluster of an agent of Open Cluster Management: its user is `system:open-cluster-management:<cluster>:<agent>`,
 * and it is in the group of the cluster. Undefined for other callers, such as the agents of add-ons.
 */
export function clusterOfAgent({ user, groups }: Caller): string | undefined {
  if (!user.startsWith(AGENT_SUBJECT_PREFIX)) return undefined
  const [cluster = '', agent = '', ...more] = user.slice(AGENT_SUBJECT_PREFIX.length).split(':')
  if (cluster === '' || agent === '' || more.length > 0) return undefined
  return groups.includes(`${AGENT_SUBJECT_PREFIX}${cluster}`) ? cluster : undefined
}

import type { ManagedClusterAddOn } from '@orrery/api'
import { ClusterRole, type Subject } from '@orrery/kinds'
import { agentSubject } from '../identity.js'
import { SubjectNotReady } from './subject-not-ready.js'

/** Every user is in this group. Nothing is granted to it. */
const EVERYBODY = 'system:authenticated'

/** Where permissions are granted: in the namespace of the agent's cluster, or in what the agents of all clusters share. */
export type GrantScope = 'cluster' | 'shared'

/**
 * The user and the groups of an add-on's agent in `status.registrations`, as subjects of a binding. The group of the agents of all
 * clusters is left out in the namespace of a cluster, unless there is nothing else: agents must not reach the namespaces of other
 * clusters. Throws `SubjectNotReady` if there is no subject yet.
 */
export function registeredSubjects({ metadata, status }: ManagedClusterAddOn, scope: GrantScope): Subject[] {
  const registration = status?.registrations?.find(({ type }) => type === 'kubeClient')
  const { user = '', groups = [] } = registration?.kubeClient?.subject ?? {}
  const [, ofAllClusters] = agentSubject(metadata.namespace ?? '', metadata.name).groups
  const own = groups.filter((group) => group !== EVERYBODY)
  const narrow = own.filter((group) => group !== ofAllClusters)
  const isNarrowed = scope === 'cluster' && (user !== '' || narrow.length > 0)
  const subjects = [
    ...(user === '' ? [] : [userSubject(user)]),
    ...(isNarrowed ? narrow : own).map((name) => groupSubject(name)),
  ]
  if (subjects.length === 0) throw new SubjectNotReady()
  return subjects
}

export function userSubject(name: string): Subject {
  return { kind: 'User', apiGroup: ClusterRole.group, name }
}

export function groupSubject(name: string): Subject {
  return { kind: 'Group', apiGroup: ClusterRole.group, name }
}

import { ManagedCluster, ManagedClusterCondition } from '@orrery/api'
import { ClusterRole, ClusterRoleBinding, type PolicyRule, Role, RoleBinding, type Subject } from '@orrery/kinds'
import { acceptedCluster, says } from './clusters.js'
import type { HubServer } from './hub-server.js'

/** The permissions of roles as the security guide lists them: a heading for each role, then its lines. */
export type PermissionTables = Readonly<Record<string, readonly string[]>>

const ACCEPTED = 'accepted'
const DENIED = 'denied'
const HEAD = ['| API group | resources | names | verbs |', '|---|---|---|---|']

interface AnyBinding {
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly Subject[]
}

/** Names of the roles that a server has before it is a hub. */
export async function roleNames({ client }: Pick<HubServer, 'client'>): Promise<ReadonlySet<string>> {
  const [{ items: clusterRoles }, { items: roles }] = await Promise.all([client.list(ClusterRole), client.list(Role)])
  return new Set([...clusterRoles, ...roles].map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`))
}

/** The permissions of a hub's roles, with an accepted and a denied cluster. */
export async function installedPermissions(hub: HubServer, before: ReadonlySet<string>): Promise<PermissionTables> {
  await Promise.all([acceptedCluster(hub, ACCEPTED), acceptedCluster(hub, DENIED)])
  await hub.client.patch(ManagedCluster, { name: DENIED }, { spec: { hubAcceptsClient: false } })
  await hub.when(ManagedCluster, { name: DENIED }, says(ManagedClusterCondition.HubAccepted, 'False'))
  await hub.settle()
  const { client } = hub
  const [clusterRoles, roles, clusterBindings, bindings] = await Promise.all([
    client.list(ClusterRole),
    client.list(Role),
    client.list(ClusterRoleBinding),
    client.list(RoleBinding),
  ])
  const all: readonly AnyBinding[] = [...clusterBindings.items, ...bindings.items]
  const isNew = ({ metadata }: ClusterRole | Role) => !before.has(`${metadata.namespace ?? ''}/${metadata.name}`)
  const tables = [...clusterRoles.items, ...roles.items].filter(isNew).map((role) => {
    const bound = all.filter(({ roleRef }) => roleRef.kind === role.kind && roleRef.name === role.metadata.name)
    const subjects = new Set(bound.flatMap(({ subjects = [] }) => subjects.map(nameOf)))
    const lines = [`Bound to: ${[...subjects].sort().join(', ')}`, '', ...HEAD, ...(role.rules ?? []).map(rowOf)]
    return [headingOf(role), lines.map(general)] as const
  })
  return Object.fromEntries(tables.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The permissions that a guide lists under its heading. */
export function documentedPermissions(text: string): PermissionTables {
  const section = text.split(/^## /m).find((part) => part.startsWith('Permissions of every identity')) ?? ''
  const tables = section
    .split(/^### /m)
    .slice(1)
    .map((part) => {
      const [heading = '', ...lines] = part.trim().split('\n')
      const from = lines.findIndex((line) => line.startsWith('Bound to: '))
      return [heading, from === -1 ? [] : lines.slice(from)] as const
    })
  return Object.fromEntries(tables)
}

function headingOf({ kind, metadata: { namespace, name } }: ClusterRole | Role): string {
  const where = namespace === undefined ? '' : ` in \`${namespace}\``
  const state = name.endsWith(`:${DENIED}`) ? ', while the cluster is denied' : ''
  return general(`${kind} \`${name}\`${where}${state}`)
}

/** Replaces the name of a cluster by a placeholder. */
function general(text: string): string {
  return text.replaceAll(/(?<=[:`])(accepted|denied)(?=[:`,]|$)/gm, 'CLUSTER')
}

function nameOf({ kind, namespace, name }: Subject): string {
  return `${kind} \`${namespace === undefined ? '' : `${namespace}/`}${name.replace(/:(accepted|denied):agent1$/, ':CLUSTER:AGENT')}\``
}

function rowOf({ apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs = [] }: PolicyRule) {
  const list = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(' ')
  const groups = apiGroups.map((group) => (group === '' ? 'core' : `\`${group}\``)).join(' ')
  return `| ${groups} | ${list([...resources, ...nonResourceURLs])} | ${list(resourceNames) || 'all'} | ${verbs.join(' ')} |`
}

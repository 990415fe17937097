import type { KubeObject } from '@orrery/kinds'
import type { PolicyRule, Subject } from '@orrery/kinds/rbac'
import { RBAC_GROUP, RBAC_VERSION } from '../rbacobjects.js'
import { CLUSTER_ROLES } from './cluster-roles.js'
import { CONTROLLER_ROLES } from './controller-roles.js'
import { EVENTS, parseGrant } from './grants.js'

export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate'
const AGGREGATE_TO = 'rbac.authorization.k8s.io/aggregate-to-'

/** A default RBAC object. */
export type PolicyObject = KubeObject & { readonly kind: PolicyKind }
export type PolicyKind = 'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding'

/** The aggregated user-facing roles: each adds its rules to the next one. */
const AGGREGATED: readonly { name: string; addsTo?: string }[] = [
  { name: 'admin' },
  { name: 'edit', addsTo: 'admin' },
  { name: 'view', addsTo: 'edit' },
]
const AGGREGATION_SOURCE = 'system:aggregate-to-'

const user = (name: string): Subject => ({ kind: 'User', apiGroup: RBAC_GROUP, name })
const group = (name: string): Subject => ({ kind: 'Group', apiGroup: RBAC_GROUP, name })
const account = (name: string): Subject => ({ kind: 'ServiceAccount', name, namespace: 'kube-system' })

/** The subjects of the ClusterRole with the same name. */
const CLUSTER_BINDINGS: Readonly<Record<string, readonly Subject[]>> = {
  'cluster-admin': [group('system:masters')],
  'system:basic-user': [group('system:authenticated')],
  'system:cluster-trust-bundle-discovery': [group('system:serviceaccounts')],
  'system:discovery': [group('system:authenticated')],
  'system:kube-controller-manager': [user('system:kube-controller-manager')],
  'system:kube-dns': [account('kube-dns')],
  'system:kube-scheduler': [user('system:kube-scheduler')],
  'system:monitoring': [group('system:monitoring')],
  'system:node': [],
  'system:node-proxier': [user('system:kube-proxy')],
  'system:public-info-viewer': [group('system:authenticated'), group('system:unauthenticated')],
  'system:service-account-issuer-discovery': [group('system:serviceaccounts')],
  'system:volume-scheduler': [user('system:kube-scheduler')],
}

const LEADER_LOCK = [
  'create get list update watch: leases @coordination.k8s.io',
  'create get list update watch: leasecandidates @coordination.k8s.io',
]

interface NamespaceRole {
  readonly namespace: string
  readonly name: string
  readonly grants: readonly string[]
  /** Defaults to the name of the role. */
  readonly bindingName?: string
  readonly subjects: readonly Subject[]
}

const NAMESPACE_ROLES: readonly NamespaceRole[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    grants: ['read: configmaps', 'update: configmaps =cluster-info', EVENTS],
    subjects: [account('bootstrap-signer')],
  },
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    grants: ['read: configmaps =extension-apiserver-authentication'],
    bindingName: 'system::extension-apiserver-authentication-reader',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler')],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-controller-manager',
    grants: LEADER_LOCK,
    subjects: [
      user('system:kube-controller-manager'),
      account('kube-controller-manager'),
      account('leader-election-controller'),
    ],
  },
  {
    namespace: 'kube-system',
    name: 'system::leader-locking-kube-scheduler',
    grants: LEADER_LOCK,
    subjects: [user('system:kube-scheduler'), account('kube-scheduler')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    grants: ['read: secrets'],
    subjects: [account('bootstrap-signer')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    grants: ['create get list watch: configmaps'],
    subjects: [account('cloud-provider')],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    grants: ['delete get list watch: secrets', EVENTS],
    subjects: [account('token-cleaner')],
  },
]

/** Returns every default RBAC object: roles before the bindings that refer to them. */
export function bootstrapPolicy(): PolicyObject[] {
  const controllers = Object.entries(CONTROLLER_ROLES)
  return [
    clusterRole('cluster-admin', [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
      { verbs: ['*'], nonResourceURLs: ['*'] },
    ]),
    ...AGGREGATED.map(({ name, addsTo }) => aggregatedRole(name, addsTo)),
    ...Object.entries(CLUSTER_ROLES).map(([name, grants]) => clusterRole(name, grants.map(parseGrant), sourceOf(name))),
    ...controllers.map(([name, grants]) => clusterRole(`system:controller:${name}`, grants.map(parseGrant))),
    ...NAMESPACE_ROLES.map(({ namespace, name, grants }) => ({
      ...shell('Role', name, { namespace }),
      rules: grants.map(parseGrant),
    })),
    ...Object.entries(CLUSTER_BINDINGS).map(([name, subjects]) => clusterBinding(name, subjects)),
    ...controllers.map(([name]) => clusterBinding(`system:controller:${name}`, [account(name)])),
    ...NAMESPACE_ROLES.map(({ namespace, name, bindingName = name, subjects }) => ({
      ...shell('RoleBinding', bindingName, { namespace }),
      ...bindingFields('Role', name, subjects),
    })),
  ]
}

function sourceOf(name: string): string | undefined {
  return name.startsWith(AGGREGATION_SOURCE) ? name.slice(AGGREGATION_SOURCE.length) : undefined
}

function clusterRole(name: string, rules: readonly PolicyRule[], addsTo?: string): PolicyObject {
  return { ...shell('ClusterRole', name, addsTo === undefined ? {} : { addsTo }), rules }
}

function aggregatedRole(name: string, addsTo: string | undefined): PolicyObject {
  const clusterRoleSelectors = [{ matchLabels: { [`${AGGREGATE_TO}${name}`]: 'true' } }]
  return { ...clusterRole(name, [], addsTo), aggregationRule: { clusterRoleSelectors } }
}

function clusterBinding(name: string, subjects: readonly Subject[]): PolicyObject {
  return { ...shell('ClusterRoleBinding', name, {}), ...bindingFields('ClusterRole', name, subjects) }
}

function bindingFields(kind: 'Role' | 'ClusterRole', name: string, subjects: readonly Subject[]) {
  const roleRef = { apiGroup: RBAC_GROUP, kind, name }
  return subjects.length === 0 ? { roleRef } : { roleRef, subjects }
}

function shell(
  kind: PolicyKind,
  name: string,
  { namespace, addsTo }: { namespace?: string; addsTo?: string },
): PolicyObject {
  return {
    apiVersion: RBAC_VERSION,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        'kubernetes.io/bootstrapping': 'rbac-defaults',
        ...(addsTo === undefined ? {} : { [`${AGGREGATE_TO}${addsTo}`]: 'true' }),
      },
      annotations: { [AUTO_UPDATE]: 'true' },
    },
  }
}

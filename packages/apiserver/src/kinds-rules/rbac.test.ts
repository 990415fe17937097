import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { QUALIFIED, refuses, SUBDOMAIN } from './testing.fixture.js'

const ROLE: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'a:b' },
  rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
}

test("Role: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(ROLE, [
    ['metadata.name', 'a/b', `metadata.name: Invalid value: "a/b": may not contain '/'`],
    ['metadata.name', '..', `metadata.name: Invalid value: "..": may not be '..'`],
    ['metadata.name', 'a%b', `metadata.name: Invalid value: "a%b": may not contain '%'`],
    ['rules[0].verbs', [], 'rules[0].verbs: Required value: verbs must contain at least one value'],
    [
      'rules[0].apiGroups',
      undefined,
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    ],
    [
      'rules[0].resources',
      undefined,
      'rules[0].resources: Required value: resource rules must supply at least one resource',
    ],
    [
      'rules[0].nonResourceURLs',
      ['/x'],
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
  ])
})

const CLUSTER_ROLE: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'a:b' },
  rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }],
}

test("ClusterRole: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CLUSTER_ROLE, [
    [
      'rules[0].resources',
      ['x'],
      'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      'aggregationRule',
      {},
      'aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ],
    [
      'aggregationRule',
      { clusterRoleSelectors: [{ matchLabels: { 'a b': 'c' } }] },
      [
        `aggregationRule.clusterRoleSelectors[0].matchLabels: Invalid value: "a b": ${QUALIFIED}`,
        'aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.',
      ],
    ],
  ])
})

const ROLE_BINDING: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { name: 'a:b' },
  roleRef: { kind: 'Role', name: 'x' },
  subjects: [
    { kind: 'User', name: 'u' },
    { kind: 'ServiceAccount', name: 's', namespace: 'n' },
  ],
}

test("RoleBinding: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(ROLE_BINDING, [
    ['roleRef.kind', 'Foo', 'roleRef.kind: Unsupported value: "Foo": supported values: "Role", "ClusterRole"'],
    ['roleRef.name', '', 'roleRef.name: Required value'],
    [
      'roleRef.apiGroup',
      'x',
      'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
    ],
    [
      'subjects[0].kind',
      'Foo',
      'subjects[0].kind: Unsupported value: "Foo": supported values: "ServiceAccount", "User", "Group"',
    ],
    ['subjects[0].name', '', 'subjects[0].name: Required value'],
    [
      'subjects[0].apiGroup',
      'x',
      'subjects[0].apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
    ],
    ['subjects[1].apiGroup', 'x', 'subjects[1].apiGroup: Unsupported value: "x": supported values: ""'],
    ['subjects[1].name', 'A_', `subjects[1].name: Invalid value: "A_": ${SUBDOMAIN}`],
    ['roleRef.name', 'a/b', `roleRef.name: Invalid value: "a/b": may not contain '/'`],
  ])
})

const CLUSTER_ROLE_BINDING: KubeObject = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'a:b' },
  roleRef: { kind: 'ClusterRole', name: 'x' },
  subjects: [{ kind: 'Group', name: 'u' }],
}

test("ClusterRoleBinding: refuses invalid objects with kube-apiserver's messages", () => {
  refuses(CLUSTER_ROLE_BINDING, [
    ['roleRef.kind', 'Role', 'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"'],
    ['subjects[0]', { kind: 'ServiceAccount', name: 'x' }, 'subjects[0].namespace: Required value'],
  ])
})

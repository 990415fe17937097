import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { AddOnTemplate, ManagedCluster, ManagedClusterAddOn } from '@orrery/api'
import { sharedSubjects, templateBindings } from './bindings.js'

const apiGroup = 'rbac.authorization.k8s.io'
const current = (clusterRoleName: string) => ({ type: 'CurrentCluster', currentCluster: { clusterRoleName } })
const single = (kind: string, name: string) => ({
  type: 'SingleNamespace',
  singleNamespace: { namespace: 'shared', roleRef: { apiGroup, kind, name } },
})

function template(...hubPermissions: object[]): AddOnTemplate {
  return { spec: { addonName: 'a', registration: [{ type: 'KubeClient', kubeClient: { hubPermissions } }] } } as never
}

test('templateBindings: have the names of Open Cluster Management, and others if those are taken', () => {
  const bindings = templateBindings(
    template(current('one'), current('two'), single('Role', 'r'), single('ClusterRole', 'c')),
    'a',
    'c1',
  )
  assert.deepEqual(
    bindings.map(({ namespace, name, roleRef, scope }) => [namespace, name, `${roleRef.kind} ${roleRef.name}`, scope]),
    [
      ['c1', 'open-cluster-management:a:clusterrole:agent', 'ClusterRole one', 'cluster'],
      ['c1', 'open-cluster-management:a:clusterrole:agent:two', 'ClusterRole two', 'cluster'],
      ['shared', 'open-cluster-management:a:role:agent', 'Role r', 'shared'],
      ['shared', 'open-cluster-management:a:clusterrole:agent', 'ClusterRole c', 'shared'],
    ],
  )
})

test('templateBindings: report permissions without their part', () => {
  assert.throws(() => templateBindings(template({ type: 'CurrentCluster' }), 'a', 'c1'), /current cluster is required/)
  assert.throws(
    () => templateBindings(template({ type: 'SingleNamespace' }), 'a', 'c1'),
    /single namespace is required/,
  )
})

suite('sharedSubjects', () => {
  const addon = (namespace: string, driver: string, user: string) =>
    ({
      metadata: { namespace, name: 'a' },
      status: { registrations: [{ type: 'kubeClient', kubeClient: { driver, subject: { user } } }] },
    }) as unknown as ManagedClusterAddOn
  const addons = [
    addon('c2', 'token', 'mallory'),
    addon('c1', 'token', 'x'),
    addon('c3', 'csr', 'y'),
    addon('c4', 'csr', 'z'),
    addon('tenant', 'token', 'no cluster'),
  ]
  const cluster = (hubAcceptsClient: boolean) => ({ spec: { hubAcceptsClient } }) as ManagedCluster
  const clusterOf = (name: string, denied: readonly string[]) =>
    name === 'tenant' ? undefined : cluster(!denied.includes(name))
  const subjects = (...denied: readonly string[]) =>
    sharedSubjects('a', addons, (name) => clusterOf(name, denied)).map(({ kind, name }) => `${kind} ${name}`)

  test('are the group of all agents, and the accounts of those with tokens', () => {
    assert.deepEqual(subjects(), [
      'Group system:open-cluster-management:addon:a',
      'User system:serviceaccount:c1:a-agent',
      'User system:serviceaccount:c2:a-agent',
    ])
  })

  test('leave out clusters that the hub does not accept', () => {
    assert.deepEqual(subjects('c2', 'c3'), [
      'Group system:open-cluster-management:cluster:c4:addon:a',
      'User system:serviceaccount:c1:a-agent',
    ])
    assert.deepEqual(subjects('c1', 'c2', 'c3', 'c4'), [])
  })
})

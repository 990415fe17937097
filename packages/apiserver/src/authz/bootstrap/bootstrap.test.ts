import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { ANONYMOUS } from '../../identity/identity.js'
import { aggregatedRules } from '../aggregation.js'
import { RbacAuthorizer } from '../rbac.js'
import type { AnyBinding, AnyRole, RuleSource } from '../rbacobjects.js'
import { access, accessPath, identity } from '../testing.fixture.js'
import { AUTO_UPDATE, bootstrapPolicy, type PolicyKind, type PolicyObject } from './policy.js'
import { reconcile } from './reconcile.js'

const policy = bootstrapPolicy()
const find = (kind: PolicyKind, name: string): PolicyObject => {
  const found = policy.find((object) => object.kind === kind && object.metadata.name === name)
  return found ?? assert.fail(`no ${kind} ${name}`)
}

/** Returns the default policy with aggregated roles. */
function defaultSource(): RuleSource {
  const clusterRoles = new Map(
    policy
      .filter(({ kind }) => kind === 'ClusterRole')
      .map((role) => [role.metadata.name ?? '', role as unknown as AnyRole]),
  )
  for (const name of ['view', 'edit', 'admin']) {
    const role = clusterRoles.get(name)!
    clusterRoles.set(name, { ...role, rules: aggregatedRules(role, clusterRoles.values()) ?? [] })
  }
  const ofKind = (kind: PolicyKind, namespace?: string) =>
    policy.filter((o) => o.kind === kind && o.metadata.namespace === namespace) as unknown as AnyBinding[]
  const bindingsIn = (namespace: string) =>
    namespace === '' ? ofKind('ClusterRoleBinding') : ofKind('RoleBinding', namespace)
  return {
    clusterRole: (name) => clusterRoles.get(name),
    role: (namespace, name) =>
      policy.find((o) => o.kind === 'Role' && o.metadata.namespace === namespace && o.metadata.name === name) as
        | AnyRole
        | undefined,
    bindings: bindingsIn,
    binding: (namespace, name) => bindingsIn(namespace).find(({ metadata }) => metadata.name === name),
    onChange: () => () => undefined,
  }
}

test('bootstrapPolicy: grants anonymous users only health and version', () => {
  const rbac = new RbacAuthorizer(defaultSource())
  const may = (path: string) => rbac.authorize(accessPath(ANONYMOUS, 'get', path)).allowed
  for (const path of ['/healthz', '/livez', '/readyz', '/version']) assert.ok(may(path), path)
  for (const path of ['/', '/api', '/apis', '/openapi/v2', '/metrics', '/healthz/etcd', '/openid/v1/jwks'])
    assert.ok(!may(path), path)
  for (const verb of ['get', 'list', 'create']) assert.ok(!rbac.authorize(access(ANONYMOUS, verb, 'pods')).allowed)
  const review = access(ANONYMOUS, 'create', 'selfsubjectaccessreviews', { group: 'authorization.k8s.io' })
  assert.ok(!rbac.authorize(review).allowed)
})

test('bootstrapPolicy: grants authenticated users only discovery and self reviews', () => {
  const rbac = new RbacAuthorizer(defaultSource())
  const known = identity('alice', 'system:authenticated')
  for (const path of ['/api', '/apis/apps/v1', '/openapi/v3', '/version'])
    assert.ok(rbac.authorize(accessPath(known, 'get', path)).allowed)
  const authorization = { group: 'authorization.k8s.io' }
  assert.ok(rbac.authorize(access(known, 'create', 'selfsubjectrulesreviews', authorization)).allowed)
  assert.ok(!rbac.authorize(access(known, 'create', 'subjectaccessreviews', authorization)).allowed)
  assert.ok(!rbac.authorize(access(known, 'list', 'namespaces')).allowed)
})

test('bootstrapPolicy: includes edit in admin, and view in edit', () => {
  const source = defaultSource()
  const resources = (name: string) => new Set(source.clusterRole(name)?.rules?.flatMap((rule) => rule.resources ?? []))
  const [view, edit, admin] = [resources('view'), resources('edit'), resources('admin')]
  assert.ok(!view.has('secrets') && edit.has('secrets') && admin.has('secrets'))
  assert.ok(!edit.has('roles') && admin.has('roles'))
  for (const resource of view) assert.ok(edit.has(resource) && admin.has(resource), resource)
})

test('bootstrapPolicy: has roles before the bindings that refer to them', () => {
  const seen = new Set<string>()
  for (const object of policy) {
    const namespace = object.metadata.namespace ?? ''
    if (object.kind === 'Role' || object.kind === 'ClusterRole')
      seen.add(`${object.kind}/${namespace}/${object.metadata.name}`)
    else {
      const { kind, name } = (object as unknown as AnyBinding).roleRef
      assert.ok(seen.has(`${kind}/${kind === 'Role' ? namespace : ''}/${name}`), name)
    }
  }
})

test('reconcile: creates objects in a new cluster and changes nothing in an existing one', () => {
  for (const object of policy) {
    assert.deepEqual(reconcile(object, undefined), { action: 'create', object })
    const stored = { ...object, metadata: { ...object.metadata, uid: 'u', resourceVersion: '1' } }
    assert.deepEqual(reconcile(object, stored), { action: 'none' }, object.metadata.name)
  }
})

test('reconcile: restores missing rules and subjects and keeps added ones', () => {
  const role = find('ClusterRole', 'system:kube-dns')
  const own = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const stored: KubeObject = { ...role, metadata: { ...role.metadata, labels: { mine: 'x' } }, rules: [own] }
  const result = reconcile(role, stored)
  assert.ok(result.action === 'update')
  assert.deepEqual((result.object.rules as unknown[])[0], own)
  assert.equal((result.object.rules as unknown[]).length, 5)
  assert.equal(result.object.metadata.labels?.mine, 'x')
  assert.equal(result.object.metadata.labels?.['kubernetes.io/bootstrapping'], 'rbac-defaults')
  assert.deepEqual(reconcile(role, result.object), { action: 'none' })

  const binding = find('ClusterRoleBinding', 'system:discovery')
  const alice = { kind: 'User', name: 'alice', apiGroup: 'rbac.authorization.k8s.io' }
  const merged = reconcile(binding, { ...binding, subjects: [alice] })
  assert.ok(merged.action === 'update')
  assert.deepEqual(merged.object.subjects, [alice, ...(binding.subjects as unknown[])])
})

test('reconcile: ignores objects with autoupdate disabled', () => {
  const role = find('ClusterRole', 'system:kube-dns')
  const stored = { ...role, rules: [], metadata: { ...role.metadata, annotations: { [AUTO_UPDATE]: 'false' } } }
  assert.deepEqual(reconcile(role, stored), { action: 'none' })
})

test('reconcile: recreates a binding to another role and resets a role that became aggregated', () => {
  const binding = find('ClusterRoleBinding', 'system:discovery')
  const elsewhere = { ...binding, roleRef: { ...(binding.roleRef as object), name: 'cluster-admin' } }
  assert.deepEqual(reconcile(binding, elsewhere), { action: 'recreate', object: binding })
  const role = find('ClusterRole', 'system:kube-dns')
  const aggregated = reconcile(role, { ...role, aggregationRule: { clusterRoleSelectors: [{}] } })
  assert.ok(aggregated.action === 'update')
  assert.equal(aggregated.object.aggregationRule, undefined)
})

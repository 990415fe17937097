import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { StatusError } from '@orrery/kinds/values'
import type { Identity } from '../identity/identity.js'
import { EscalationGuard } from './escalation.js'
import { RbacAuthorizer } from './rbac.js'
import { type AnyBinding, type AnyRole, RBAC_GROUP } from './rbacobjects.js'
import { identity, MemoryRules, user } from './testing.fixture.js'

const alice = identity('alice', 'dev', 'system:authenticated')
const root = identity('root', 'system:masters')
const rbacAll = { apiGroups: [RBAC_GROUP], resources: ['roles', 'clusterroles'] }
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }
const readSecrets: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] }

/** Returns a guard for which Alice may only read pods in namespace a, plus `more`. */
function guard(more: (rules: MemoryRules) => void = () => undefined): EscalationGuard {
  const rules = new MemoryRules()
    .addRole('a', 'pods', readPods)
    .addRole('a', 'secrets', readSecrets)
    .addRole('', 'admin', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] })
    .bind('a', 'rb', 'Role/pods', user('alice'))
  more(rules)
  return new EscalationGuard(new RbacAuthorizer(rules))
}

function roleWrite(who: Identity, rules: PolicyRule[], extra: Partial<AnyRole> = {}, previous?: AnyRole) {
  const object: AnyRole = { metadata: { name: 'r', namespace: 'a' }, rules, ...extra }
  return { identity: who, namespace: 'a', requestName: '', object, previous }
}

function bindingWrite(who: Identity, kind: string, name: string, previous?: AnyBinding) {
  const object: AnyBinding = {
    metadata: { name: 'rb', namespace: 'a' },
    subjects: [user('bob')],
    roleRef: { apiGroup: RBAC_GROUP, kind, name },
  }
  return { identity: who, namespace: 'a', requestName: '', object, previous }
}

const refused = (code: number, message: string) => (error: unknown) => {
  assert.ok(error instanceof StatusError)
  assert.deepEqual([error.code, error.message], [code, message])
  return true
}

test('EscalationGuard: allows a role with rules that the user has', async () => {
  await guard().checkRole('roles', roleWrite(alice, [readPods]))
})

test('EscalationGuard: refuses a role with other rules and names them', async () => {
  await assert.rejects(
    guard().checkRole('roles', roleWrite(alice, [readPods, readSecrets])),
    refused(
      403,
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    ),
  )
})

test('EscalationGuard: does not count namespaced permissions for cluster roles', async () => {
  const write = { ...roleWrite(alice, [readPods]), namespace: '' }
  await assert.rejects(guard().checkRole('clusterroles', write), /not currently held/)
})

test('EscalationGuard: allows system:masters and users with escalate any role', async () => {
  await guard().checkRole('roles', roleWrite(root, [readSecrets]))
  const escalating = guard((rules) =>
    rules.addRole('a', 'e', { verbs: ['escalate'], ...rbacAll }).bind('a', 'e', 'Role/e', user('alice')),
  )
  await escalating.checkRole('roles', roleWrite(alice, [readSecrets]))
})

test('EscalationGuard: allows changes of owners and finalizers alone', async () => {
  const previous: AnyRole = {
    metadata: { name: 'r', namespace: 'a', finalizers: ['x'], resourceVersion: '1' },
    rules: [readSecrets],
  }
  await guard().checkRole('roles', roleWrite(alice, [readSecrets], {}, previous))
  await assert.rejects(
    guard().checkRole('roles', roleWrite(alice, [readSecrets, readPods], {}, previous)),
    /not currently held/,
  )
})

test('EscalationGuard: requires all permissions for an aggregated role', async () => {
  const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] }
  const write = { ...roleWrite(alice, [], { aggregationRule }), namespace: '' }
  await assert.rejects(
    guard().checkRole('clusterroles', write),
    refused(
      403,
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ),
  )
  const removing = { ...roleWrite(alice, [], {}, { metadata: { name: 'r' }, aggregationRule }), namespace: '' }
  await assert.rejects(guard().checkRole('clusterroles', removing), /aggregationRule/)
  const everything = guard((rules) =>
    rules
      .addRole(
        '',
        'all',
        { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
        { verbs: ['*'], nonResourceURLs: ['*'] },
      )
      .bind('', 'all', 'ClusterRole/all', user('alice')),
  )
  await everything.checkRole('clusterroles', write)
})

test('EscalationGuard: requires the permissions of the role for a binding', async () => {
  await guard().checkBinding('rolebindings', bindingWrite(alice, 'Role', 'pods'))
  await guard().checkBinding('rolebindings', bindingWrite(root, 'ClusterRole', 'admin'))
  await assert.rejects(
    guard().checkBinding('rolebindings', bindingWrite(alice, 'Role', 'secrets')),
    /Resources:\["secrets"\]/,
  )
  await assert.rejects(
    guard().checkBinding('rolebindings', bindingWrite(alice, 'ClusterRole', 'admin')),
    /Resources:\["\*"\]/,
  )
})

test('EscalationGuard: accepts bind on the role, but not on another role', async () => {
  const bind = (name: string) =>
    guard((rules) =>
      rules
        .addRole('a', 'b', { verbs: ['bind'], ...rbacAll, resourceNames: [name] })
        .bind('a', 'b', 'Role/b', user('alice')),
    )
  await bind('admin').checkBinding('rolebindings', bindingWrite(alice, 'ClusterRole', 'admin'))
  await assert.rejects(
    bind('other').checkBinding('rolebindings', bindingWrite(alice, 'ClusterRole', 'admin')),
    StatusError,
  )
})

test('EscalationGuard: returns a 404 for a binding to a missing role without bind', async () => {
  await assert.rejects(
    guard().checkBinding('rolebindings', bindingWrite(alice, 'ClusterRole', 'gone')),
    refused(404, 'rolebindings.rbac.authorization.k8s.io "gone" not found'),
  )
  await guard().checkBinding('rolebindings', bindingWrite(root, 'ClusterRole', 'gone'))
})

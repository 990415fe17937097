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

/** Alice may read pods in namespace a, and nothing else unless `more` says so. */
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

test('a role with rules the writer holds is fine', async () => {
  await guard().checkRole('roles', roleWrite(alice, [readPods]))
})

test('a role with more than the writer holds is refused with what is missing', async () => {
  await assert.rejects(
    guard().checkRole('roles', roleWrite(alice, [readPods, readSecrets])),
    refused(
      403,
      'roles.rbac.authorization.k8s.io "r" is forbidden: user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
    ),
  )
})

test('rights in one namespace are none in the cluster', async () => {
  const write = { ...roleWrite(alice, [readPods]), namespace: '' }
  await assert.rejects(guard().checkRole('clusterroles', write), /not currently held/)
})

test('masters and holders of escalate may write any role', async () => {
  await guard().checkRole('roles', roleWrite(root, [readSecrets]))
  const escalating = guard((rules) =>
    rules.addRole('a', 'e', { verbs: ['escalate'], ...rbacAll }).bind('a', 'e', 'Role/e', user('alice')),
  )
  await escalating.checkRole('roles', roleWrite(alice, [readSecrets]))
})

test('settling owners and finalizers needs no rights; changing rules at the same time does', async () => {
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

test('only who holds everything may shape an aggregated role', async () => {
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

test('a binding needs the rights of its role', async () => {
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

test('bind on the role is enough, on another role it is not', async () => {
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

test('a binding to a role that is not there is a 404 for those who cannot bind it', async () => {
  await assert.rejects(
    guard().checkBinding('rolebindings', bindingWrite(alice, 'ClusterRole', 'gone')),
    refused(404, 'rolebindings.rbac.authorization.k8s.io "gone" not found'),
  )
  await guard().checkBinding('rolebindings', bindingWrite(root, 'ClusterRole', 'gone'))
})

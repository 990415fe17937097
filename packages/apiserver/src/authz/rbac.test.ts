import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ANONYMOUS } from '../identity/identity.js'
import { forbiddenAccess } from './forbidden.js'
import { RbacAuthorizer } from './rbac.js'
import { maySign } from './signer-permission.js'
import { access, accessPath, group, identity, MemoryRules, user } from './testing.fixture.js'

const alice = identity('alice', 'dev', 'system:authenticated')
const readPods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }

test('RbacAuthorizer: applies a ClusterRoleBinding in every namespace', () => {
  const rules = new MemoryRules().addRole('', 'reader', readPods).bind('', 'b', 'ClusterRole/reader', user('alice'))
  const rbac = new RbacAuthorizer(rules)
  assert.deepEqual(rbac.authorize(access(alice, 'get', 'pods', { namespace: 'a' })), {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "reader" to User "alice"',
  })
  assert.equal(rbac.authorize(access(alice, 'list', 'pods')).allowed, true)
  assert.deepEqual(rbac.authorize(access(alice, 'delete', 'pods')), { allowed: false, reason: '' })
})

test('RbacAuthorizer: applies a RoleBinding only in its namespace', () => {
  const rules = new MemoryRules()
    .addRole('a', 'reader', readPods)
    .addRole('b', 'reader', readPods)
    .bind('a', 'rb', 'Role/reader', group('dev'))
  const rbac = new RbacAuthorizer(rules)
  assert.equal(
    rbac.authorize(access(alice, 'get', 'pods', { namespace: 'a' })).reason,
    'RBAC: allowed by RoleBinding "rb/a" of Role "reader" to Group "dev"',
  )
  assert.equal(rbac.authorize(access(alice, 'get', 'pods', { namespace: 'b' })).allowed, false)
  assert.equal(rbac.authorize(access(alice, 'list', 'pods')).allowed, false)
})

test('RbacAuthorizer: applies a RoleBinding to a ClusterRole only in its namespace', () => {
  const rules = new MemoryRules().addRole('', 'reader', readPods).bind('a', 'rb', 'ClusterRole/reader', user('alice'))
  const rbac = new RbacAuthorizer(rules)
  assert.equal(rbac.authorize(access(alice, 'get', 'pods', { namespace: 'a' })).allowed, true)
  assert.equal(rbac.authorize(access(alice, 'get', 'pods', { namespace: 'b' })).allowed, false)
})

test('RbacAuthorizer: matches service accounts by namespace and name', () => {
  const rules = new MemoryRules()
    .addRole('', 'reader', readPods)
    .bind('a', 'local', 'ClusterRole/reader', { kind: 'ServiceAccount', name: 'bot' })
    .bind('', 'wide', 'ClusterRole/reader', { kind: 'ServiceAccount', name: 'bot', namespace: 'x' })
    .bind('', 'nowhere', 'ClusterRole/reader', { kind: 'ServiceAccount', name: 'lost' })
  const rbac = new RbacAuthorizer(rules)
  const account = (namespace: string, name: string) => identity(`system:serviceaccount:${namespace}:${name}`)
  const request = (who: ReturnType<typeof identity>) => access(who, 'get', 'pods', { namespace: 'a' })
  assert.equal(
    rbac.authorize(request(account('a', 'bot'))).reason,
    'RBAC: allowed by RoleBinding "local/a" of ClusterRole "reader" to ServiceAccount "bot/a"',
  )
  assert.equal(
    rbac.authorize(request(account('x', 'bot'))).reason,
    'RBAC: allowed by ClusterRoleBinding "wide" of ClusterRole "reader" to ServiceAccount "bot/x"',
  )
  assert.equal(rbac.authorize(request(account('b', 'bot'))).allowed, false)
  assert.equal(rbac.authorize(request(account('', 'lost'))).allowed, false)
})

test('RbacAuthorizer: applies duplicate groups once, in the order of the identity', () => {
  const watchPods = { ...readPods, verbs: ['watch'] }
  const rules = new MemoryRules()
    .addRole('', 'reader', readPods)
    .addRole('', 'watcher', watchPods)
    .bind('', 'one', 'ClusterRole/reader', group('dev'), group('dev'))
    .bind('', 'two', 'ClusterRole/watcher', group('ops'), user('dev'))
  const granted = new RbacAuthorizer(rules).rulesFor(identity('carol', 'ops', 'none', 'dev', 'ops', 'dev'), '')
  assert.deepEqual(granted, { rules: [watchPods, readPods], problems: [] })
})

test('RuleMatcher: matches verb, group, resource, subresource and name', () => {
  const allows = (rule: Parameters<MemoryRules['addRole']>[2], request: Parameters<typeof access>) => {
    const rules = new MemoryRules().addRole('', 'r', rule!).bind('', 'b', 'ClusterRole/r', user('alice'))
    return new RbacAuthorizer(rules).authorize(access(...request)).allowed
  }
  const core = { apiGroups: [''] }
  assert.ok(allows({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, [alice, 'x', 'y/z', { group: 'q' }]))
  assert.ok(!allows({ verbs: ['get'], ...core, resources: ['pods'] }, [alice, 'get', 'pods/log']))
  assert.ok(allows({ verbs: ['get'], ...core, resources: ['pods/log'] }, [alice, 'get', 'pods/log']))
  assert.ok(allows({ verbs: ['get'], ...core, resources: ['*/log'] }, [alice, 'get', 'pods/log']))
  assert.ok(!allows({ verbs: ['get'], ...core, resources: ['*/log'] }, [alice, 'get', 'log']))
  assert.ok(!allows({ verbs: ['get'], ...core, resources: ['pods/*'] }, [alice, 'get', 'pods/log']))
  assert.ok(!allows({ verbs: ['get'], ...core, resources: ['pods'] }, [alice, 'get', 'pods', { group: 'apps' }]))
  const named = { verbs: ['get'], ...core, resources: ['secrets'], resourceNames: ['a'] }
  assert.ok(allows(named, [alice, 'get', 'secrets', { name: 'a' }]))
  assert.ok(!allows(named, [alice, 'get', 'secrets', { name: 'b' }]))
  assert.ok(!allows(named, [alice, 'get', 'secrets']))
})

test('RuleMatcher: matches whole paths or with a trailing star', () => {
  const rules = new MemoryRules()
    .addRole('', 'r', { verbs: ['get'], nonResourceURLs: ['/healthz', '/api/*'] })
    .bind('', 'b', 'ClusterRole/r', group('system:unauthenticated'))
  const rbac = new RbacAuthorizer(rules)
  const may = (verb: string, path: string) => rbac.authorize(accessPath(ANONYMOUS, verb, path)).allowed
  assert.ok(may('get', '/healthz'))
  assert.ok(!may('get', '/healthz/etcd'))
  assert.ok(!may('post', '/healthz'))
  assert.ok(may('get', '/api/v1'))
  assert.ok(!may('get', '/api'))
  assert.ok(!may('get', '/apis'))
})

test('RbacAuthorizer: allows system:masters everything without a binding', () => {
  const rbac = new RbacAuthorizer(new MemoryRules())
  const root = identity('root', 'system:masters')
  assert.deepEqual(rbac.authorize(access(root, 'delete', 'nodes')), { allowed: true, reason: '' })
})

test('RbacAuthorizer: reports a binding to a missing role', () => {
  const rules = new MemoryRules()
    .bind('', 'b', 'ClusterRole/gone', user('alice'))
    .bind('a', 'c', 'Role/lost', user('alice'))
  const rbac = new RbacAuthorizer(rules)
  assert.equal(
    rbac.authorize(access(alice, 'get', 'pods')).reason,
    'RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
  )
  assert.equal(
    rbac.authorize(access(alice, 'get', 'pods', { namespace: 'a' })).reason,
    'RBAC: [clusterrole.rbac.authorization.k8s.io "gone" not found, role.rbac.authorization.k8s.io "lost" not found]',
  )
})

test('RbacAuthorizer: applies policy changes from the next decision on', () => {
  const rules = new MemoryRules()
  const rbac = new RbacAuthorizer(rules)
  const may = (namespace: string) => rbac.authorize(access(alice, 'get', 'pods', { namespace })).allowed
  assert.equal(may('a'), false)
  rules.bind('a', 'rb', 'Role/reader', user('alice'))
  assert.equal(may('a'), false)
  rules.addRole('a', 'reader', readPods)
  assert.equal(may('a'), true)
  rules.addRole('a', 'reader', { ...readPods, verbs: ['list'] })
  assert.equal(may('a'), false)
  rules.addRole('a', 'reader', readPods).unbind('a', 'rb')
  assert.equal(may('a'), false)
  rules.addRole('', 'wide', readPods).bind('', 'crb', 'ClusterRole/wide', group('dev'))
  assert.equal(may('b'), true)
  rules.removeRole('', 'wide')
  assert.equal(may('b'), false)
})

test('RbacAuthorizer: decides in microseconds with thousands of bindings', (t) => {
  const rules = new MemoryRules().addRole(
    '',
    'agent',
    ...Array.from({ length: 30 }, (_, i) => ({ ...readPods, resources: [`r${i}`] })),
  )
  for (let i = 0; i < 2_000; i++) rules.bind(`c${i}`, 'agent', 'ClusterRole/agent', user(`agent-${i}`), group('agents'))
  const rbac = new RbacAuthorizer(rules)
  const agent = identity('agent-7', 'agents')
  const request = access(agent, 'get', 'r29', { namespace: 'c7' })
  const rounds = 20_000
  const started = process.hrtime.bigint()
  for (let i = 0; i < rounds; i++) assert.ok(rbac.authorize(request).allowed)
  const each = Number(process.hrtime.bigint() - started) / rounds / 1000
  t.diagnostic(`${each.toFixed(2)} µs a decision`)
  assert.ok(each < 100)
})

test('RbacAuthorizer: reads only the changed binding of a namespace with many subjects', () => {
  const rules = new MemoryRules().addRole('a', 'read', { verbs: ['get'], apiGroups: [''], resources: ['pods'] })
  const subjects = (b: number) => Array.from({ length: 10_000 }, (_, i) => user(`u${b}-${i}`))
  for (let b = 0; b < 20; b++) rules.bind('a', `b${b}`, 'Role/read', ...subjects(b))
  const rbac = new RbacAuthorizer(rules)
  const allowed = (name: string) => rbac.authorize(access(identity(name), 'get', 'pods', { namespace: 'a' }))
  assert.equal(allowed('u3-7').allowed, true)
  const begin = process.cpuUsage().user
  for (let i = 0; i < 300; i++) {
    rules.bind('a', 'mine', 'Role/read', user(`n${i}`), user(`n${i}`))
    assert.equal(allowed(`n${i}`).allowed, true)
    assert.equal(allowed(`n${i - 1}`).allowed, false)
  }
  const microseconds = process.cpuUsage().user - begin
  assert.ok(microseconds < 3_000_000, `${microseconds} µs`)
  rules.unbind('a', 'b3')
  assert.equal(allowed('u3-7').allowed, false)
  assert.match(allowed('u4-7').reason, /^RBAC: allowed by RoleBinding "b4\/a" of Role "read" to User "u4-7"$/)
})

/** Counts how often roles are read. */
class CountedRules extends MemoryRules {
  reads = 0

  override role(namespace: string, name: string) {
    this.reads++
    return super.role(namespace, name)
  }
}

/** As many rules as a Role can have. */
const manyRules = (role: string) =>
  Array.from({ length: 24_000 }, (_, i) => ({ ...readPods, resourceNames: [`${role}-${i}`] }))

test('RbacAuthorizer: reads only the changed role of a namespace', () => {
  const rules = new CountedRules()
  for (let r = 0; r < 20; r++) rules.addRole('a', `r${r}`, readPods).bind('a', `b${r}`, `Role/r${r}`, user('alice'))
  const rbac = new RbacAuthorizer(rules)
  const request = access(alice, 'delete', 'pods', { namespace: 'a' })
  assert.equal(rbac.authorize(request).allowed, false)
  assert.equal(rules.reads, 20)
  rules.addRole('a', 'r3', { ...readPods, verbs: ['delete'] }).addRole('a', 'other', readPods)
  assert.equal(rbac.authorize(request).allowed, true)
  assert.equal(rules.reads, 21)
})

test('RbacAuthorizer: applies only some of the largest roles that a user has in a namespace', () => {
  const rules = new CountedRules().addRole('', 'wide', readPods)
  for (let r = 0; r < 12; r++) {
    rules.addRole('a', `r${r}`, ...manyRules(`r${r}`)).bind('a', `b${r}`, `Role/r${r}`, user('alice'))
  }
  const rbac = new RbacAuthorizer(rules)
  const reason = (name: string) => rbac.authorize(access(alice, 'get', 'pods', { namespace: 'a', name })).reason
  const tooLarge =
    'RBAC: the roles of this user in namespace "a" are too large to apply all of them: bind fewer or smaller roles'
  assert.match(reason('r0-7'), /^RBAC: allowed by RoleBinding "b0\/a"/)
  assert.equal(reason('r11-7'), tooLarge)
  assert.ok(rules.reads < 6, `${rules.reads} roles were read`)
  const { problems, rules: held } = rbac.rulesFor(alice, 'a')
  assert.equal(`RBAC: ${problems.join()}`, tooLarge)
  assert.ok(held.length < 6 * 24_000, `${held.length} rules`)
  rules.bind('', 'wide', 'ClusterRole/wide', user('alice'))
  assert.match(reason('r11-7'), /^RBAC: allowed by ClusterRoleBinding "wide"/)
})

test('RbacAuthorizer: keeps only some of the largest roles of many namespaces', () => {
  const rules = new CountedRules()
  const namespaces = Array.from({ length: 20 }, (_, i) => `n${i}`)
  for (const namespace of namespaces) {
    rules.addRole(namespace, 'r', ...manyRules('r')).bind(namespace, 'b', 'Role/r', user('alice'))
  }
  const rbac = new RbacAuthorizer(rules)
  const isAllowed = (namespace: string) =>
    rbac.authorize(access(alice, 'get', 'pods', { namespace, name: 'r-7' })).allowed
  for (const namespace of namespaces) assert.ok(isAllowed(namespace))
  assert.equal(rules.reads, 20)
  assert.ok(isAllowed('n19'))
  assert.equal(rules.reads, 20, 'the latest is kept')
  assert.ok(isAllowed('n0'))
  assert.equal(rules.reads, 21, 'the oldest is not kept')
})

test('RbacAuthorizer: names a few of many missing roles', () => {
  const rules = new MemoryRules()
  for (let r = 0; r < 1_000; r++) rules.bind('a', `b${r}`, `Role/r${r}`, user('alice'))
  const { reason } = new RbacAuthorizer(rules).authorize(access(alice, 'get', 'pods', { namespace: 'a' }))
  assert.match(reason, /^RBAC: \[role\.rbac\.authorization\.k8s\.io "r0" not found, .*"r9" not found, and 990 more\]$/)
})

test('forbiddenAccess: names user, verb, resource and scope', () => {
  const message = (request: ReturnType<typeof access>) => forbiddenAccess(request, '').message
  assert.equal(
    message(access(alice, 'get', 'pods/log', { namespace: 'a', name: 'web' })),
    'pods "web" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "a"',
  )
  assert.equal(
    message(access(alice, 'list', 'deployments', { group: 'apps' })),
    'deployments.apps is forbidden: User "alice" cannot list resource "deployments" in API group "apps" at the cluster scope',
  )
  assert.equal(
    message(accessPath(ANONYMOUS, 'get', '/<x>')),
    'forbidden: User "system:anonymous" cannot get path "/&lt;x&gt;"',
  )
})

test('maySign: matches signers by name or domain', async () => {
  const signers = { apiGroups: ['certificates.k8s.io'], resources: ['signers'] }
  const rules = new MemoryRules()
    .addRole('', 'one', { verbs: ['approve'], ...signers, resourceNames: ['example.com/a'] })
    .addRole('', 'domain', { verbs: ['sign'], ...signers, resourceNames: ['example.com/*'] })
    .bind('', 'b1', 'ClusterRole/one', user('alice'))
    .bind('', 'b2', 'ClusterRole/domain', user('alice'))
  const rbac = new RbacAuthorizer(rules)
  assert.equal(await maySign(rbac, alice, 'approve', 'example.com/a'), true)
  assert.equal(await maySign(rbac, alice, 'approve', 'example.com/b'), false)
  assert.equal(await maySign(rbac, alice, 'sign', 'example.com/b'), true)
  assert.equal(await maySign(rbac, alice, 'attest', 'example.com/a'), false)
  assert.equal(await maySign(rbac, alice, 'sign', 'other.com/b'), false)
})

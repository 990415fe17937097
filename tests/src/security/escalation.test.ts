import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Rule, sharedCluster } from './cluster.js'

const cluster = sharedCluster()
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const GROUP = 'rbac.authorization.k8s.io'
const WRITES = ['get', 'create', 'update', 'patch']
const READ_PODS: Rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] }
const READ_SECRETS: Rule = { apiGroups: [''], resources: ['secrets'], verbs: ['get'] }
const EVERYTHING: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }

const role = (name: string, rules: readonly Rule[], kind = 'ClusterRole') => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  rules,
})

const binding = (name: string, user: string, roleName: string, kind = 'ClusterRoleBinding') => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: roleName },
  subjects: [{ apiGroup: GROUP, kind: 'User', name: user }],
})

for (const [plural, kind, root] of [
  ['clusterroles', 'ClusterRole', RBAC],
  ['roles', 'Role', `${RBAC}/namespaces/default`],
] as const) {
  test(`RBAC escalation: a writer of ${plural} can only grant permissions that it has`, async () => {
    const user = `writer-of-${plural}`
    await cluster().allow(user, undefined, [READ_PODS, { apiGroups: [GROUP], resources: [plural], verbs: WRITES }])
    const writer = cluster().user(user)
    const path = `${root}/${plural}`
    const one = `${path}/${plural}-own`
    assert.equal(await writer.status('POST', path, role(`${plural}-own`, [READ_PODS], kind)), 201)

    for (const rule of [
      READ_SECRETS,
      EVERYTHING,
      { ...READ_PODS, verbs: ['get', 'list'] },
      { ...READ_PODS, verbs: ['*'] },
    ]) {
      const wider = role(`${plural}-own`, [READ_PODS, rule], kind)
      const { status, object } = await writer.send('POST', path, role(`${plural}-more`, [rule], kind))
      assert.equal(status, 403)
      assert.match(object.message ?? '', /is attempting to grant RBAC permissions not currently held/)
      assert.equal(await writer.status('PUT', one, wider), 403)
      assert.equal(await writer.status('PATCH merge', one, { rules: [rule] }), 403)
      assert.equal(await writer.status('PATCH strategic', one, { rules: [rule] }), 403)
      assert.equal(await writer.status('PATCH json', one, [{ op: 'add', path: '/rules/-', value: rule }]), 403)
      assert.equal(await writer.status('PATCH apply', `${one}?fieldManager=x&force=true`, wider), 403)
      assert.equal(
        await writer.status('PATCH apply', `${path}/${plural}-new?fieldManager=x`, role(`${plural}-new`, [rule], kind)),
        403,
      )
    }
    // A change that grants nothing is no escalation.
    assert.equal(await writer.status('PATCH merge', one, { metadata: { labels: { a: 'b' } } }), 200)
    // Dry runs neither bypass this nor disclose more.
    assert.equal(await writer.status('POST', `${path}?dryRun=All`, role(`${plural}-dry`, [EVERYTHING], kind)), 403)
  })
}

test('RBAC escalation: the escalate permission allows any role', async () => {
  await cluster().allow('escalator', undefined, [
    { apiGroups: [GROUP], resources: ['clusterroles'], verbs: ['create', 'escalate'] },
  ])
  assert.equal(
    await cluster()
      .user('escalator')
      .status('POST', `${RBAC}/clusterroles`, role('wide', [EVERYTHING])),
    201,
  )
})

for (const [plural, kind, root] of [
  ['clusterrolebindings', 'ClusterRoleBinding', RBAC],
  ['rolebindings', 'RoleBinding', `${RBAC}/namespaces/default`],
] as const) {
  test(`RBAC escalation: a writer of ${plural} can only bind roles that it has`, async () => {
    const user = `writer-of-${plural}`
    await cluster().allow(user, undefined, [READ_PODS, { apiGroups: [GROUP], resources: [plural], verbs: WRITES }])
    const writer = cluster().user(user)
    const path = `${root}/${plural}`
    await cluster().create(`${RBAC}/clusterroles`, role(`held-${plural}`, [READ_PODS]))
    assert.equal(await writer.status('POST', path, binding('own', user, `held-${plural}`, kind)), 201)
    for (const name of ['cluster-admin', 'edit', 'view', 'admin', 'system:node']) {
      assert.equal(await writer.status('POST', path, binding('more', user, name, kind)), 403, name)
      assert.equal(
        await writer.status('PATCH apply', `${path}/more?fieldManager=x`, binding('more', user, name, kind)),
        403,
      )
    }
    const other = { subjects: [{ apiGroup: GROUP, kind: 'User', name: 'somebody-else' }] }
    assert.equal(await writer.status('PATCH merge', `${path}/own`, other), 200)
    // The roleRef of a binding is immutable.
    assert.equal(await writer.status('PATCH merge', `${path}/own`, { roleRef: { name: 'cluster-admin' } }), 422)
    assert.equal(await cluster().user('somebody-else').status('GET', '/api/v1/secrets'), 403)
  })
}

test('RBAC escalation: an administrator’s binding cannot be taken over by its writer', async () => {
  const user = 'subject-adder'
  await cluster().allow(user, undefined, [{ apiGroups: [GROUP], resources: ['clusterrolebindings'], verbs: WRITES }])
  const path = `${RBAC}/clusterrolebindings/cluster-admin`
  const subjects = [{ apiGroup: GROUP, kind: 'User', name: user }]
  const adder = cluster().user(user)
  assert.equal(await adder.status('PATCH merge', path, { subjects }), 403)
  assert.equal(await adder.status('PATCH json', path, [{ op: 'add', path: '/subjects/-', value: subjects[0] }]), 403)
  assert.equal(await adder.status('GET', '/api/v1/secrets'), 403)
})

test('RBAC escalation: the bind permission for a role allows only that role', async () => {
  const rule = { apiGroups: [GROUP], resources: ['clusterroles'], resourceNames: ['view'], verbs: ['bind'] }
  await cluster().allow('binder', undefined, [
    rule,
    { apiGroups: [GROUP], resources: ['rolebindings'], verbs: ['create'] },
  ])
  const binder = cluster().user('binder')
  const path = `${RBAC}/namespaces/default/rolebindings`
  assert.equal(await binder.status('POST', path, binding('views', 'x', 'view', 'RoleBinding')), 201)
  assert.equal(await binder.status('POST', path, binding('edits', 'x', 'edit', 'RoleBinding')), 403)
})

test('RBAC escalation: an aggregated role grants nothing that its writer does not have', async () => {
  const user = 'aggregator'
  await cluster().allow(user, undefined, [{ apiGroups: [GROUP], resources: ['clusterroles'], verbs: WRITES }])
  const aggregate = {
    ...role('collected', []),
    aggregationRule: {
      clusterRoleSelectors: [{ matchLabels: { 'rbac.authorization.k8s.io/aggregate-to-admin': 'true' } }],
    },
  }
  assert.equal(await cluster().user(user).status('POST', `${RBAC}/clusterroles`, aggregate), 403)
})

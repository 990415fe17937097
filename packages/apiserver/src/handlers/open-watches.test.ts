import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../http/exchange.js'
import type { AccessRequest } from '../identity/identity.js'
import { clientAs, failureOf, testServer } from '../testing/test-server.fixture.js'
import { OpenWatches } from './open-watches.js'

const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default'
const MAPS = '/api/v1/namespaces/default/configmaps'

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' }
const bindingOf = (user: string) => ({
  metadata: { name: user },
  roleRef,
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
})

test('OpenWatches: ends only the watches whose permission is revoked', async (t) => {
  const { server, client } = await testServer(t)
  const as = (username: string) => clientAs(server, { username, uid: '', groups: ['system:authenticated'], extra: {} })
  for (const user of ['stays', 'goes']) await client.create(`${RBAC}/rolebindings`, bindingOf(user))
  await client.create(MAPS, { metadata: { name: 'first' } })
  const seen = { stays: [] as string[], goes: [] as string[] }
  const watchAs = async (user: 'stays' | 'goes', until: string) => {
    for await (const { object } of as(user).watch(`${MAPS}?fieldSelector=metadata.name!=kube-root-ca.crt`)) {
      seen[user].push(object.metadata.name ?? '')
      if (object.metadata.name === until) return
    }
  }
  const going = watchAs('goes', 'never')
  const staying = watchAs('stays', 'last')
  while (seen.goes.length === 0 || seen.stays.length === 0) await client.get(`${MAPS}/first`)
  await client.delete(`${RBAC}/rolebindings/goes`)
  await going
  await client.create(MAPS, { metadata: { name: 'last' } })
  await staying
  assert.deepEqual(seen, { stays: ['first', 'last'], goes: ['first'] })
  assert.equal((await failureOf(as('goes').get(MAPS))).code, 403)
})

test('OpenWatches: ends the watches that a changed role no longer permits', async (t) => {
  const { server, client } = await testServer(t)
  const role = { metadata: { name: 'maps' }, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['watch'] }] }
  await client.create(`${RBAC}/roles`, role)
  const binding = { ...bindingOf('user'), roleRef: { ...roleRef, kind: 'Role', name: 'maps' } }
  await client.create(`${RBAC}/rolebindings`, binding)
  await client.create(MAPS, { metadata: { name: 'first' } })
  const user = clientAs(server, { username: 'user', uid: '', groups: ['system:authenticated'], extra: {} })
  let seen = 0
  const watching = (async () => {
    for await (const _ of user.watch(MAPS)) seen++
  })()
  while (seen === 0) await client.get(`${MAPS}/first`)
  await client.update(`${RBAC}/roles/maps`, { ...role, rules: [] })
  await watching
})

/** An authorizer that refuses a watch after its permission is lost, and takes its time. */
class SlowAuthorizer {
  readonly asked: string[] = []
  readonly lost = new Set<string>()
  lose: (namespace: string) => void = () => undefined

  onLoss(listener: (namespace: string) => void): void {
    this.lose = listener
  }

  authorize({ namespace, name }: AccessRequest) {
    for (const end = performance.now() + 5; performance.now() < end; );
    this.asked.push(`${namespace}/${name}`)
    return { allowed: !this.lost.has(name), reason: '' }
  }
}

function watchOf(watches: OpenWatches, namespace: string, name: string) {
  const watch = { isOpen: true }
  const close = () => {
    watch.isOpen = false
  }
  const exchange = { onClose: () => undefined, destroy: close } as unknown as Exchange
  watches.add(exchange, { namespace, name } as AccessRequest)
  return watch
}

test('OpenWatches: lets the event loop run while it checks many watches', async () => {
  const authorizer = new SlowAuthorizer()
  const watches = new OpenWatches(authorizer)
  for (let i = 0; i < 100; i++) watchOf(watches, 'a', `w${i}`)
  const last = watchOf(watches, 'a', 'last')
  authorizer.lost.add('last')
  authorizer.lose('a')
  let turns = 0
  for (; last.isOpen; turns++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(turns > 20, `${turns} turns`)
})

test('OpenWatches: checks only the watches of the namespace in which a permission was lost', async () => {
  const authorizer = new SlowAuthorizer()
  const watches = new OpenWatches(authorizer)
  const [here, there, everywhere] = [watchOf(watches, 'a', 'x'), watchOf(watches, 'b', 'x'), watchOf(watches, '', 'x')]
  authorizer.lost.add('x')
  authorizer.lose('a')
  while (here.isOpen) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(authorizer.asked, ['a/x'])
  authorizer.lose('')
  while (there.isOpen || everywhere.isOpen) await new Promise((resolve) => setImmediate(resolve))
})

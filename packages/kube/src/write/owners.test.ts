import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deployment } from '@orrery/kinds'
import { isInvalid } from '@orrery/kinds/values'
import { controllerOf, isOwnedBy, ownerReferenceTo, withOwner, withoutOwner } from './owners.js'

const owner = (name: string, uid = `uid-of-${name}`) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { namespace: 'ns', name, uid, resourceVersion: '1', creationTimestamp: '2030-01-01T00:00:00Z' },
})

test('ownerReferenceTo: has the owner and its flags', () => {
  const plain = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'uid-of-web' }
  assert.deepEqual(ownerReferenceTo(owner('web'), Deployment), plain)
  assert.deepEqual(ownerReferenceTo(owner('web'), Deployment, { controller: true }), {
    ...plain,
    controller: true,
    blockOwnerDeletion: true,
  })
  const lax = ownerReferenceTo(owner('web'), Deployment, { controller: true, blockOwnerDeletion: false })
  assert.deepEqual(lax, { ...plain, controller: true })
})

test('withOwner: allows many owners and one controller', () => {
  const first = withOwner(undefined, ownerReferenceTo(owner('a'), Deployment, { controller: true }))
  const both = withOwner(first, ownerReferenceTo(owner('b'), Deployment))
  assert.equal(withOwner(both, ownerReferenceTo(owner('b'), Deployment)), both)
  assert.throws(() => withOwner(both, ownerReferenceTo(owner('b'), Deployment, { controller: true })), isInvalid)
  const metadata = { ...owner('x').metadata, ownerReferences: both }
  assert.ok(isOwnedBy({ metadata }, owner('b')))
  assert.ok(!isOwnedBy({ metadata }, owner('c')))
  assert.equal(controllerOf({ metadata })?.name, 'a')
  assert.deepEqual(withoutOwner(both, first[0]!), both.slice(1))
  assert.equal(withoutOwner(both, { uid: 'nobody' }), both)
})

test('withOwner: a recreated owner replaces the former one', () => {
  const old = withOwner([], ownerReferenceTo(owner('a', 'old'), Deployment, { controller: true }))
  const now = withOwner(old, ownerReferenceTo(owner('a', 'new'), Deployment, { controller: true }))
  assert.deepEqual(
    now.map(({ uid }) => uid),
    ['new'],
  )
})

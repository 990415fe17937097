import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { StatusError } from '@orrery/kinds/values'
import { reviewLocalSubjectAccess, reviewSelfAccess, reviewSelfRules, reviewSubjectAccess } from './access-reviews.js'
import { RbacAuthorizer } from './rbac.js'
import { group, identity, MemoryRules, user } from './testing.fixture.js'

const rules = new MemoryRules()
  .addRole(
    '',
    'reader',
    { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['get'], nonResourceURLs: ['/version'] },
  )
  .addRole('a', 'local', { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] })
  .bind('', 'crb', 'ClusterRole/reader', user('alice'), group('readers'))
  .bind('a', 'rb', 'Role/local', user('alice'))
const rbac = new RbacAuthorizer(rules)
const alice = identity('alice', 'system:authenticated')

function review(kind: string, spec: unknown, metadata: KubeObject['metadata'] = {}): KubeObject {
  return { apiVersion: 'authorization.k8s.io/v1', kind, metadata, spec }
}

const invalidWith = (text: string) => (error: unknown) =>
  error instanceof StatusError && error.code === 422 && error.message.includes(text)

test('reviewSubjectAccess: answers for a user or for groups', async () => {
  const spec = { resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'x' } }
  const byUser = await reviewSubjectAccess(review('SubjectAccessReview', { ...spec, user: 'alice' }), rbac)
  assert.deepEqual(byUser.status, {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "crb" of ClusterRole "reader" to User "alice"',
  })
  const byGroup = await reviewSubjectAccess(review('SubjectAccessReview', { ...spec, groups: ['readers'] }), rbac)
  assert.equal((byGroup.status as { allowed: boolean }).allowed, true)
  const nobody = await reviewSubjectAccess(review('SubjectAccessReview', { ...spec, user: 'bob' }), rbac)
  assert.deepEqual(nobody.status, { allowed: false })
})

test('reviewSubjectAccess: answers for non-resource paths', async () => {
  const spec = { nonResourceAttributes: { verb: 'get', path: '/version' } }
  const answer = await reviewSelfAccess(review('SelfSubjectAccessReview', spec), alice, rbac)
  assert.equal((answer.status as { allowed: boolean }).allowed, true)
  assert.deepEqual(answer.spec, spec)
})

test('reviewSubjectAccess: refuses a review without attributes, with both, or without a user', async () => {
  const both = { resourceAttributes: { verb: 'get' }, nonResourceAttributes: { verb: 'get' } }
  const ask = (spec: object) => reviewSelfAccess(review('SelfSubjectAccessReview', spec), alice, rbac)
  const none =
    'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes'
  await assert.rejects(ask({}), invalidWith(none))
  await assert.rejects(ask(both), invalidWith('cannot be specified in combination with resourceAttributes'))
  await assert.rejects(
    reviewSubjectAccess(review('SubjectAccessReview', { resourceAttributes: { verb: 'get' } }), rbac),
    invalidWith('at least one of user or group must be specified'),
  )
  const named = review('SubjectAccessReview', { resourceAttributes: { verb: 'get' }, user: 'x' }, { name: 'n' })
  await assert.rejects(reviewSubjectAccess(named, rbac), invalidWith('must be empty'))
})

test('reviewLocalSubjectAccess: is restricted to its namespace', async () => {
  const spec = { user: 'alice', resourceAttributes: { verb: 'list', resource: 'secrets', name: 's', namespace: 'a' } }
  const local = (namespace: string, body: unknown) =>
    reviewLocalSubjectAccess(review('LocalSubjectAccessReview', body, { namespace: 'a' }), namespace, rbac)
  assert.equal(((await local('a', spec)).status as { allowed: boolean }).allowed, true)
  await assert.rejects(local('b', spec), invalidWith('must match metadata.namespace'))
  const path = { user: 'alice', nonResourceAttributes: { verb: 'get', path: '/' } }
  await assert.rejects(local('a', path), invalidWith('disallowed on this kind of request'))
})

test('reviewSelfRules: lists the rules of the namespace', () => {
  const answer = reviewSelfRules(review('SelfSubjectRulesReview', { namespace: 'a' }), alice, rbac)
  assert.deepEqual(answer.status, {
    resourceRules: [
      { verbs: ['get'], apiGroups: [''], resources: ['pods'] },
      { verbs: ['list'], apiGroups: [''], resources: ['secrets'], resourceNames: ['s'] },
    ],
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/version'] }],
    incomplete: false,
  })
  assert.throws(() => reviewSelfRules(review('SelfSubjectRulesReview', {}), alice, rbac), /no namespace on request/)
})

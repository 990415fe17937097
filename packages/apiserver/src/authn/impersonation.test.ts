import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PolicyRule } from '@orrery/kinds/rbac'
import { StatusError } from '@orrery/kinds/values'
import { RbacAuthorizer } from '../authz/rbac.js'
import { identity, MemoryRules, user } from '../authz/testing.fixture.js'
import { parseServiceAccountUsername } from '../identity/service-accounts.js'
import { type Headers, impersonated } from './impersonation.js'

const alice = identity('alice', 'system:authenticated')
const root = identity('root', 'system:masters')
const may = (resource: string, apiGroups: string[], ...resourceNames: string[]): PolicyRule => ({
  verbs: ['impersonate'],
  apiGroups,
  resources: [resource],
  resourceNames,
})

function as(headers: Headers, who = root, ...rules: PolicyRule[]) {
  const source = new MemoryRules().addRole('', 'r', ...rules).bind('', 'b', 'ClusterRole/r', user('alice'))
  return impersonated(headers, who, new RbacAuthorizer(source))
}

const forbiddenBy = (message: string) => (error: unknown) => {
  assert.ok(error instanceof StatusError)
  assert.deepEqual([error.code, error.message], [403, message])
  return true
}

test('impersonated: returns undefined without the headers', () => {
  assert.equal(as({ accept: 'json', 'impersonate-user': '' }), undefined)
})

test('impersonated: supports every part of an identity', async () => {
  const headers = {
    'impersonate-user': 'bob',
    'impersonate-uid': 'u1',
    'impersonate-group': ['dev', 'ops'],
    'impersonate-extra-scopes': ['view', 'edit'],
    'impersonate-extra-example.com%2fproject': 'x',
  }
  assert.deepEqual(await as(headers), {
    username: 'bob',
    uid: 'u1',
    groups: ['dev', 'ops', 'system:authenticated'],
    extra: { scopes: ['view', 'edit'], 'example.com/project': ['x'] },
  })
})

test('impersonated: parses repeated headers in every form', async () => {
  const joined = await as({ 'impersonate-user': 'bob', 'impersonate-group': 'dev, ops', 'impersonate-extra-s': 'a, b' })
  assert.deepEqual(joined?.groups, ['dev', 'ops', 'system:authenticated'])
  assert.deepEqual(joined?.extra, { s: ['a', 'b'] })
})

test('impersonated: decodes UTF-8 names', async () => {
  const bytes = Buffer.from('jané').toString('latin1')
  for (const name of [bytes, 'jané']) assert.equal((await as({ 'impersonate-user': name }))?.username, 'jané')
})

test('impersonated: adds the default groups of the user', async () => {
  const groups = async (name: string, ...given: string[]) =>
    (await as({ 'impersonate-user': name, 'impersonate-group': given }))?.groups
  assert.deepEqual(await groups('bob'), ['system:authenticated'])
  assert.deepEqual(await groups('system:anonymous'), ['system:unauthenticated'])
  assert.deepEqual(await groups('bob', 'system:unauthenticated'), ['system:unauthenticated'])
  assert.deepEqual(await groups('system:serviceaccount:ns:bot'), [
    'system:serviceaccounts',
    'system:serviceaccounts:ns',
    'system:authenticated',
  ])
})

test('impersonated: requires a permission for each part', async () => {
  const users = may('users', [''], 'bob')
  await assert.rejects(
    as({ 'impersonate-user': 'carol' }, alice, users)!,
    forbiddenBy(
      'users "carol" is forbidden: User "alice" cannot impersonate resource "users" in API group "" at the cluster scope',
    ),
  )
  assert.equal((await as({ 'impersonate-user': 'bob' }, alice, users))?.username, 'bob')
  const withGroup = { 'impersonate-user': 'bob', 'impersonate-group': 'system:masters' }
  await assert.rejects(
    as(withGroup, alice, users, may('groups', [''], 'dev'))!,
    forbiddenBy(
      'groups "system:masters" is forbidden: User "alice" cannot impersonate resource "groups" in API group "" at the cluster scope',
    ),
  )
  const withExtra = { 'impersonate-user': 'bob', 'impersonate-extra-scopes': ['view', 'admin'] }
  const extras = may('userextras/scopes', ['authentication.k8s.io'], 'view')
  await assert.rejects(
    as(withExtra, alice, users, extras)!,
    forbiddenBy(
      'userextras.authentication.k8s.io "admin" is forbidden: User "alice" cannot impersonate resource "userextras/scopes" in API group "authentication.k8s.io" at the cluster scope',
    ),
  )
  await assert.rejects(
    as({ 'impersonate-user': 'bob', 'impersonate-uid': 'u' }, alice, users)!,
    /cannot impersonate resource "uids"/,
  )
})

test('impersonated: checks the permission for a service account in its namespace', async () => {
  const headers = { 'impersonate-user': 'system:serviceaccount:ns:bot' }
  await assert.rejects(
    as(headers, alice, may('users', ['']))!,
    forbiddenBy(
      'serviceaccounts "bot" is forbidden: User "alice" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
    ),
  )
  assert.ok(await as(headers, alice, may('serviceaccounts', [''])))
})

test('impersonated: returns a 400 for parts without a user', () => {
  for (const headers of [
    { 'impersonate-group': 'a' },
    { 'impersonate-uid': 'a' },
    { 'impersonate-extra-a': 'b' },
  ] as Headers[]) {
    assert.throws(
      () => as(headers),
      (error) => error instanceof StatusError && error.code === 400,
    )
  }
})

test('impersonated: treats an extra key such as __proto__ as an ordinary key', async () => {
  const result = await as({ 'impersonate-user': 'bob', 'impersonate-extra-__proto__': 'x' })
  assert.deepEqual(Object.keys(result?.extra ?? {}), ['__proto__'])
  assert.equal(Object.getPrototypeOf(result?.extra), Object.prototype)
})

test('parseServiceAccountUsername: accepts only well-formed user names', () => {
  assert.deepEqual(parseServiceAccountUsername('system:serviceaccount:a:b.c'), { namespace: 'a', name: 'b.c' })
  for (const name of [
    'system:serviceaccount:a',
    'system:serviceaccount:a:b:c',
    'system:serviceaccount:A:b',
    'system:serviceaccount::b',
    'x',
  ]) {
    assert.equal(parseServiceAccountUsername(name), undefined)
  }
})

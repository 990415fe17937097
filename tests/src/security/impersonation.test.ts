import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Caller, Shown } from './caller.js'
import { sharedCluster } from './cluster.js'

const cluster = sharedCluster()
const WHOAMI = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const AUTHENTICATION = 'authentication.k8s.io'

async function whoami(caller: Caller, headers: Shown['headers']): Promise<Record<string, unknown>> {
  const body = { apiVersion: `${AUTHENTICATION}/v1`, kind: 'SelfSubjectReview' }
  const { status, object, text } = await caller.send('POST', WHOAMI, body, headers)
  assert.equal(status, 201, text)
  return (object.status as { userInfo: Record<string, unknown> }).userInfo
}

const act = (caller: Caller, headers: Shown['headers']) =>
  caller.status('GET', '/api/v1/namespaces', undefined, headers)

test('impersonation: requires permission', async () => {
  const plain = cluster().user('plain')
  for (const headers of [
    { 'impersonate-user': 'system:admin' },
    { 'impersonate-user': 'plain' },
    { 'impersonate-user': 'plain', 'impersonate-group': 'system:masters' },
    { 'impersonate-user': 'system:serviceaccount:kube-system:namespace-controller' },
    { 'impersonate-user': 'plain', 'impersonate-uid': '1' },
    { 'impersonate-user': 'plain', 'impersonate-extra-scopes': 'x' },
  ]) {
    const { status, object } = await plain.send('GET', '/version', undefined, headers)
    assert.equal(status, 403, JSON.stringify(headers))
    assert.match(object.message ?? '', /"plain" cannot impersonate resource/)
  }
  const nobody = cluster().caller({})
  assert.equal(await nobody.status('GET', '/version', undefined, { 'impersonate-user': 'system:admin' }), 403)
})

test('impersonation: each part of an identity requires its own permission', async () => {
  await cluster().allow('actor', undefined, [
    { apiGroups: [''], resources: ['users'], resourceNames: ['jane'], verbs: ['impersonate'] },
    { apiGroups: [''], resources: ['groups'], resourceNames: ['developers'], verbs: ['impersonate'] },
    { apiGroups: [AUTHENTICATION], resources: ['uids'], resourceNames: ['7'], verbs: ['impersonate'] },
    { apiGroups: [AUTHENTICATION], resources: ['userextras/scopes'], resourceNames: ['view'], verbs: ['impersonate'] },
  ])
  const actor = cluster().user('actor')
  const jane = { 'impersonate-user': 'jane' }
  assert.deepEqual(
    await whoami(actor, {
      ...jane,
      'impersonate-group': 'developers',
      'impersonate-uid': '7',
      'impersonate-extra-scopes': 'view',
    }),
    {
      username: 'jane',
      uid: '7',
      groups: ['developers', 'system:authenticated'],
      extra: { scopes: ['view'] },
    },
  )
  for (const headers of [
    { 'impersonate-user': 'john' },
    { ...jane, 'impersonate-group': 'system:masters' },
    { ...jane, 'impersonate-group': ['developers', 'system:masters'] },
    { ...jane, 'impersonate-uid': '8' },
    { ...jane, 'impersonate-extra-scopes': 'edit' },
    { ...jane, 'impersonate-extra-scopes': ['view', 'edit'] },
    { ...jane, 'impersonate-extra-other': 'view' },
  ]) {
    assert.equal(await act(actor, headers), 403, JSON.stringify(headers))
  }
})

test('impersonation: gives up the own permissions', async () => {
  const admin = cluster().admin
  assert.equal(await act(admin, { 'impersonate-user': 'jane' }), 403)
  assert.equal(await act(admin, { 'impersonate-user': 'jane', 'impersonate-group': 'system:masters' }), 200)
  assert.deepEqual((await whoami(admin, { 'impersonate-user': 'jane' })).groups, ['system:authenticated'])
})

test('impersonation: a service account has its groups, and requires permission for it', async () => {
  const bot = 'system:serviceaccount:default:bot'
  await cluster().allow('sa-actor', 'default', [
    { apiGroups: [''], resources: ['serviceaccounts'], resourceNames: ['bot'], verbs: ['impersonate'] },
  ])
  const actor = cluster().user('sa-actor')
  assert.deepEqual((await whoami(actor, { 'impersonate-user': bot })).groups, [
    'system:serviceaccounts',
    'system:serviceaccounts:default',
    'system:authenticated',
  ])
  assert.equal(await act(actor, { 'impersonate-user': 'system:serviceaccount:default:other' }), 403)
  assert.equal(await act(actor, { 'impersonate-user': 'system:serviceaccount:kube-system:bot' }), 403)
})

test('impersonation: groups and extras without a user are a bad request', async () => {
  for (const headers of [
    { 'impersonate-group': 'system:masters' },
    { 'impersonate-uid': '1' },
    { 'impersonate-extra-x': 'y' },
  ]) {
    assert.equal(await act(cluster().admin, headers), 400, JSON.stringify(headers))
  }
})

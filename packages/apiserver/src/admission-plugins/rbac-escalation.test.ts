import assert from 'node:assert/strict'
import test from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { isForbidden } from '@orrery/kinds/values'
import { startInnerServer } from '../testing/inner-server.fixture.js'

const group = 'rbac.authorization.k8s.io'
const ROLES = { group, resource: 'roles' }
const BINDINGS = { group, resource: 'rolebindings' }
const apiVersion = `${group}/v1`

const role = (name: string, verbs: string[]): KubeObject => ({
  apiVersion,
  kind: 'Role',
  metadata: { namespace: 'a', name },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
})

const binding = (name: string, roleName: string, user: string): KubeObject => ({
  apiVersion,
  kind: 'RoleBinding',
  metadata: { namespace: 'a', name },
  roleRef: { apiGroup: group, kind: 'Role', name: roleName },
  subjects: [{ kind: 'User', apiGroup: group, name: user }],
})

test('rbacEscalation: refuses to grant more permissions than the user has, by role or by binding', async (t) => {
  const server = await startInnerServer(t, { namespaces: ['a'] })
  const jane = server.as({ username: 'jane', uid: '', groups: [], extra: {} })
  await server.client.create(ROLES, role('reader', ['get']))
  await server.client.create(ROLES, role('writer', ['get', 'update']))
  await server.client.create(BINDINGS, binding('jane', 'reader', 'jane'))
  await jane.create(ROLES, role('copy', ['get']))
  await jane.create(BINDINGS, binding('joe', 'reader', 'joe'))
  await assert.rejects(jane.create(ROLES, role('more', ['get', 'delete'])), (error) => {
    assert.ok(isForbidden(error))
    assert.match(error.message, /is attempting to grant RBAC permissions not currently held/)
    return true
  })
  await assert.rejects(jane.create(BINDINGS, binding('self', 'writer', 'jane')), isForbidden)
  await assert.rejects(
    jane.change(ROLES, 'a', 'copy', (live) => ({ ...live, rules: role('x', ['*']).rules })),
    isForbidden,
  )
})

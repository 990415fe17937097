import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { clientAs, failureOf, testServer } from '../testing/test-server.fixture.js'

const GROUP = '/apis/resource.k8s.io/v1'
const CLAIMS = `${GROUP}/namespaces/default/resourceclaims`
const RBAC = '/apis/rbac.authorization.k8s.io/v1'

const claim = (name: string, adminAccess = false) => ({
  metadata: { name },
  spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'gpu', adminAccess } }] } },
})
const result = { request: 'one', driver: 'gpu.example.com', pool: 'p', device: 'd' }
const device = { driver: 'gpu.example.com', pool: 'p', device: 'd' }

test('resourceClaims: requires a label of the namespace for admin access', async (t) => {
  const { client } = await testServer(t)
  const refusal = await failureOf(client.create(CLAIMS, claim('admin', true)))
  assert.equal(refusal.code, 422)
  assert.match(
    refusal.message,
    /spec\.devices\.requests\[0\]\.adminAccess: Forbidden: admin access to devices requires/,
  )
  const templates = CLAIMS.replace('resourceclaims', 'resourceclaimtemplates')
  const template = { metadata: { name: 't' }, spec: { spec: claim('x', true).spec } }
  assert.equal((await failureOf(client.create(templates, template))).code, 422)
  const label = { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } }
  await client.patch('/api/v1/namespaces/default', label, 'merge')
  await client.create(CLAIMS, claim('admin', true))
  await client.create(templates, template)
})

test('resourceClaims: requires separate permissions for allocation and device status', async (t) => {
  const { server, client } = await testServer(t)
  const user = { username: 'driver', uid: '', groups: ['system:authenticated'], extra: {} }
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'driver' }
  const rule = (resources: string[], verbs: string[], resourceNames?: string[]) => ({
    apiGroups: ['resource.k8s.io'],
    resources,
    verbs,
    ...(resourceNames !== undefined && { resourceNames }),
  })
  const status = rule(['resourceclaims', 'resourceclaims/status'], ['get', 'update', 'patch'])
  const role = { metadata: { name: 'driver' }, rules: [status] }
  await client.create(`${RBAC}/clusterroles`, role)
  await client.create(`${RBAC}/clusterrolebindings`, {
    metadata: { name: 'driver' },
    roleRef,
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'driver' }],
  })
  const driver = clientAs(server, user)
  const made = await client.create(CLAIMS, claim('one'))
  const path = `${CLAIMS}/one/status`
  const allocated = { ...made, status: { allocation: { devices: { results: [result] } } } }
  const refusal = await failureOf(driver.update(path, allocated))
  assert.match(
    refusal.message,
    /changing status.allocation or status.reservedFor requires resource="resourceclaims\/binding", verb="update" permission/,
  )
  const bound = (await client.update(path, allocated)) as KubeObject
  const reported = { ...bound, status: { ...(bound.status as object), devices: [device] } }
  const other = await failureOf(driver.update(path, reported))
  assert.match(
    other.message,
    /changing status.devices requires resource="resourceclaims\/driver", verb="\[arbitrary-node:update\]"/,
  )
  const rules = [status, rule(['resourceclaims/driver'], ['arbitrary-node:update'], ['gpu.example.com'])]
  await client.update(`${RBAC}/clusterroles/driver`, { ...role, rules })
  const seen = (await driver.update(path, reported)) as { status: { devices: unknown[] } } & KubeObject
  assert.equal(seen.status.devices.length, 1)
  const released = (await client.update(path, { ...seen, status: { devices: seen.status.devices } })) as KubeObject
  assert.deepEqual(released.status, {})
})

test('resource.k8s.io: serves tables, field selectors and protobuf', async (t) => {
  const { client } = await testServer(t)
  const slice = (name: string, nodeName: string) => ({
    metadata: { name },
    spec: { driver: 'gpu.example.com', nodeName, pool: { name: nodeName, generation: 1, resourceSliceCount: 1 } },
  })
  await client.create(`${GROUP}/resourceslices`, slice('one', 'n1'))
  await client.create(`${GROUP}/resourceslices`, slice('two', 'n2'))
  const list = await client.get<{ items: KubeObject[] }>(
    `${GROUP}/resourceslices?fieldSelector=spec.nodeName=n2,spec.driver=gpu.example.com`,
  )
  assert.deepEqual(
    list.items.map(({ metadata }) => metadata.name),
    ['two'],
  )
  const ask = async (path: string, accept: string) => {
    const { body } = await client.request({ method: 'GET', path, headers: { accept } })
    const pieces: Buffer[] = []
    for await (const piece of body) pieces.push(piece)
    return Buffer.concat(pieces)
  }
  const table = await ask(`${GROUP}/resourceslices`, 'application/json;as=Table;v=v1;g=meta.k8s.io')
  const { columnDefinitions, rows } = JSON.parse(table.toString('utf8'))
  assert.deepEqual(
    columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Node', 'Driver', 'Pool', 'Age'],
  )
  assert.deepEqual(rows[0].cells.slice(0, 4), ['one', 'n1', 'gpu.example.com', 'n1'])
  const protobuf = await ask(`${GROUP}/resourceslices/one`, 'application/vnd.kubernetes.protobuf')
  assert.equal(protobuf.subarray(0, 4).toString('latin1'), 'k8s\0')
  await client.create(CLAIMS, claim('waits'))
  const claims = await ask(CLAIMS, 'application/json;as=Table;v=v1;g=meta.k8s.io')
  assert.equal(JSON.parse(claims.toString('utf8')).rows[0].cells[1], 'pending')
})

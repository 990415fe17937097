import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Status } from '@orrery/kinds/values'
import { jsonOf } from '../testing/path-client.fixture.js'
import { failureOf, testServer } from '../testing/test-server.fixture.js'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const NO_METHOD = 'the server does not allow this method on the requested resource'

test('server: answers unknown paths in plain text outside a group and with a Status within one', async (t) => {
  const { client } = await testServer(t)
  for (const path of ['/nothing', '/apis/nothing.example/v1/things', '/openapi/v3/nothing']) {
    const reply = await client.request({ method: 'GET', path })
    assert.equal(reply.status, 404)
    assert.equal(String(await reply.bytes()), '404 page not found\n')
  }
  for (const path of ['/api/v9', '/apis/apps/v9', '/api/v1/things', `${PODS}/p/nothing`]) {
    const reply = await client.request({ method: 'GET', path })
    assert.equal(((await jsonOf(reply)) as Status).message, 'the server could not find the requested resource', path)
  }
})

const METHODS: readonly (readonly [method: string, path: string, code: number])[] = [
  ['PUT', MAPS, 405],
  ['PATCH', MAPS, 405],
  ['POST', `${MAPS}/a`, 405],
  ['POST', '/api/v1/configmaps', 405],
  ['DELETE', '/api/v1/namespaces', 405],
  ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 405],
  ['GET', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews/a', 404],
  ['PUT', '/api/v1/namespaces/default/bindings/a', 404],
  ['POST', '/api/v1/bindings', 404],
  ['DELETE', '/api/v1/namespaces/default/namespaces/kube-node-lease', 404],
  ['DELETE', '/api/v1/namespaces/default/namespaces/default', 404],
  ['POST', '/api/v1/namespaces/default/namespaces', 404],
  ['DELETE', '/api/v1/namespaces/default/nodes/a', 404],
  ['PUT', '/api/v1/namespaces/default/status/more', 404],
  ['POST', '/api/v1/namespaces/default/pods//binding', 404],
  ['GET', '/api/v1/proxy/namespaces/default/pods/a', 404],
]

test('server: refuses methods that a path does not support', async (t) => {
  const { client } = await testServer(t)
  for (const [method, path, code] of METHODS) {
    const headers = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }
    const reply = await client.request({ method, path, headers, body: '{}' })
    const { message, details } = (await jsonOf(reply)) as Status
    assert.equal(reply.status, code, `${method} ${path}`)
    if (code === 405) assert.deepEqual([message, details], [NO_METHOD, {}], `${method} ${path}`)
  }
})

test('patch: refuses to change the kind or name of an object', async (t) => {
  const { client } = await testServer(t)
  await client.create(MAPS, { metadata: { name: 'a' } })
  const patch = async (change: object) => {
    const { code, message } = await failureOf(client.patch(`${MAPS}/a`, change))
    return `${code} ${message}`
  }
  assert.match(await patch({ kind: 'Secret' }), /^422 .* is invalid: patch: Invalid value: "ConfigMap default\/a"/)
  assert.match(await patch({ apiVersion: 'v9' }), /^422 .*no kind "ConfigMap" is registered for version "v9"$/)
  assert.match(await patch({ data: { x: 5 } }), /^422 .*cannot unmarshal number/)
  assert.match(await patch({ metadata: { uid: 'u' } }), /^422 .*metadata.uid: .*field is immutable$/)
  assert.match(await patch({ metadata: { name: 'b' } }), /^400 the name of the object \(b\) does not match/)
  assert.match(await patch({ metadata: null }), /^400 the name of the object \(a based on URL\) was undeterminable/)
  const kept = await client.patch(`${MAPS}/a`, { kind: 'Secret', data: { k: 'v' } }, 'strategic')
  assert.deepEqual([kept.kind, kept.data], ['ConfigMap', { k: 'v' }])
})

test('connect: requires a container name that exists', async (t) => {
  const { client } = await testServer(t)
  const containers = ['one', 'two'].map((name) => ({ name, image: 'x' }))
  await client.create(PODS, { metadata: { name: 'p' }, spec: { containers } })
  const why = async (path: string) => (await failureOf(client.get(`${PODS}/p/${path}`))).message
  assert.equal(await why('log'), 'a container name must be specified for pod p, choose one of: [one two]')
  assert.equal(await why('log?container=three'), 'container three is not valid for pod p')
  assert.equal(await why('exec?container=one'), 'pod p does not have a host assigned')
  const reply = await client.request({ method: 'GET', path: `${PODS}/p/log?container=one` })
  assert.deepEqual([reply.status, String(await reply.bytes())], [200, ''])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { define, failureOf, testServer } from '../testing/test-server.fixture.js'

const API = 'example.com/v1'
const PATH = `/apis/${API}/gadgets`

const gadgets = {
  metadata: { name: 'gadgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Cluster',
    names: { plural: 'gadgets', kind: 'Gadget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { n: { type: 'integer' } },
                'x-kubernetes-validations': [{ rule: 'self.n > 0', message: 'n must be positive' }],
              },
              status: { type: 'object' },
            },
          },
        },
      },
    ],
  },
}

const gadget = (metadata: object, n = 1) => ({ apiVersion: API, kind: 'Gadget', metadata, spec: { n } })

test('custom resources: report missing metadata and skip CEL rules', async (t) => {
  const { client } = await testServer(t)
  await define(client, gadgets)
  const { status } = await failureOf(client.create(PATH, gadget({}, 0)))
  assert.deepEqual(
    status.details?.causes?.map(({ field, message }) => `${field}: ${message}`),
    [
      'metadata.name: Required value: name or generateName is required',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ],
  )
})

test('custom resources: are not selected by namespace if they are cluster-scoped', async (t) => {
  const { client } = await testServer(t)
  await define(client, gadgets)
  const { status } = await failureOf(client.get(`${PATH}?fieldSelector=metadata.namespace%3Dx`))
  assert.equal(status.code, 400)
  assert.equal(status.message, 'field label not supported: metadata.namespace')
  const nodes = await client.get<{ items: KubeObject[] }>('/api/v1/nodes?fieldSelector=metadata.namespace%3Dx')
  assert.deepEqual(nodes.items, [])
})

test('lists: have an empty continue for custom resources and none for built-in ones', async (t) => {
  const { client } = await testServer(t)
  await define(client, gadgets)
  const rest = async (path: string) => (await client.get<{ metadata: { continue?: string } }>(path)).metadata.continue
  assert.equal(await rest(PATH), '')
  assert.equal(await rest('/api/v1/nodes'), undefined)
  for (const name of ['a', 'b']) await client.create(PATH, gadget({ name }))
  assert.notEqual(await rest(`${PATH}?limit=1`), '')
})

test('apply: accepts any field in an object without a schema', async (t) => {
  const { client } = await testServer(t)
  await define(client, gadgets)
  await client.create(PATH, gadget({ name: 'a' }))
  const status = { conditions: [{ type: 'Ready' }] }
  const applied = await client.patch<KubeObject>(
    `${PATH}/a/status?fieldManager=me`,
    { apiVersion: API, kind: 'Gadget', metadata: { name: 'a' }, status },
    'apply',
  )
  const mine = applied.metadata.managedFields?.find(({ manager }) => manager === 'me')
  assert.deepEqual(mine?.fieldsV1, { 'f:status': { 'f:conditions': {} } })
  // It is still pruned, since no field is declared.
  assert.deepEqual(applied.status, {})
})

test('conversion webhook: fails the request if it does not answer', async (t) => {
  const { client } = await testServer(t)
  const [v1] = gadgets.spec.versions
  const versions = [v1, { ...v1, name: 'v2', storage: false }]
  const conversion = {
    strategy: 'Webhook',
    webhook: { clientConfig: { url: 'https://127.0.0.1:1/convert' }, conversionReviewVersions: ['v1'] },
  }
  await define(client, { ...gadgets, spec: { ...gadgets.spec, versions, conversion } })
  await client.create(PATH, gadget({ name: 'a' }))
  const other = PATH.replace('/v1/', '/v2/')
  for (const path of [other, `${other}/a`, `${other}?pretty=true`]) {
    const { status } = await failureOf(client.get(path))
    assert.equal(status.code, 500)
    assert.match(status.message ?? '', /^conversion webhook for example.com\/v1, Kind=Gadget failed: /)
  }
  const played = client.create(`${other}?dryRun=All`, { ...gadget({ name: 'b' }), apiVersion: 'example.com/v2' })
  assert.equal((await failureOf(played)).status.code, 500)
  assert.equal((await client.get<KubeObject>(`${PATH}/a`)).metadata.name, 'a')
})

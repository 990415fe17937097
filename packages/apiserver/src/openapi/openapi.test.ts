import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '@orrery/kinds'
import { resourceOf, subresourcesOf } from '../discovery/testing.fixture.js'
import type { Resource } from '../kinds/resource.js'
import { answerOpenApi, type OpenApiRequest } from './answer.js'
import type { OpenApiDocument } from './document.js'
import { operationPrefix, tagOf } from './names.js'
import { OpenApi } from './openapi.js'
import type { SchemaSource } from './payloads.js'
import { DEPLOYMENT, TEST_SCHEMAS } from './testing.fixture.js'

const DEPLOYMENTS = resourceOf('apps', 'v1', 'Deployment', {
  schema: DEPLOYMENT,
  subresources: subresourcesOf(
    { name: 'status', group: 'apps', version: 'v1', kind: 'Deployment', verbs: ['get', 'patch', 'update'] },
    { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
  ),
})
const APES = resourceOf('zoo.example.com', 'v1', 'Ape', { custom: true, namespaced: false })
const APE_DEFINITION = { type: 'object', description: 'An ape.', properties: { spec: { type: 'object' } } }
const APE_LIST = { type: 'object', description: 'Apes.', 'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.age' }] }

function openapi(resources: readonly Resource[] = [DEPLOYMENTS, APES]): OpenApi {
  const custom: SchemaSource['custom'] = (_resource, dialect) =>
    dialect === 'v2'
      ? { schema: APE_DEFINITION, listSchema: APE_LIST }
      : { schema: { ...APE_DEFINITION, nullable: true }, listSchema: APE_LIST }
  const served = new OpenApi({ version: 'v1.36.0', schemas: { ...TEST_SCHEMAS, custom } })
  served.update(resources)
  return served
}

interface Document extends JsonObject {
  paths: Record<string, JsonObject & Record<'get' | 'patch' | 'delete' | 'put', Operation>>
  definitions: Record<string, JsonObject & { properties: JsonObject }>
  components: JsonObject & { schemas: Record<string, JsonObject & { properties: JsonObject }> }
}
type Operation = JsonObject & { parameters: { name?: string; $ref?: string }[]; requestBody: { content: JsonObject } }

const parsed = async (document: OpenApiDocument | undefined): Promise<Document> =>
  JSON.parse((await document?.identity())?.toString() ?? 'null')
const v3 = async (root: string) => parsed(await openapi().v3(root))
const v2 = async () => parsed(await openapi().v2('json'))

const ITEM = '/apis/apps/v1/namespaces/{namespace}/deployments/{name}'
const REF = '#/components/schemas/'

test('v3Document: contains every path of its group version', async () => {
  assert.deepEqual(Object.keys((await v3('apis/apps/v1')).paths), [
    '/apis/apps/v1/deployments',
    '/apis/apps/v1/namespaces/{namespace}/deployments',
    ITEM,
    `${ITEM}/scale`,
    `${ITEM}/status`,
  ])
  assert.deepEqual(Object.keys((await v3('apis/zoo.example.com/v1')).paths), [
    '/apis/zoo.example.com/v1/apes',
    '/apis/zoo.example.com/v1/apes/{name}',
  ])
})

test('v3Document: has the parameters that kubectl reads in the patch operation', async () => {
  for (const document of [await v3('apis/apps/v1'), await v2()]) {
    const patch = document.paths[ITEM]?.patch
    assert.deepEqual(patch?.['x-kubernetes-group-version-kind'], { group: 'apps', kind: 'Deployment', version: 'v1' })
    assert.equal(patch?.['x-kubernetes-action'], 'patch')
    assert.equal(patch?.operationId, 'patchAppsV1NamespacedDeployment')
    const written = patch?.parameters.map(({ name }) => name) ?? []
    for (const name of ['dryRun', 'fieldManager', 'fieldValidation', 'force']) assert.ok(written.includes(name), name)
  }
})

test('v3Document: has operation IDs that are valid identifiers', async () => {
  assert.equal(operationPrefix('rbac.authorization.k8s.io', 'v1'), 'RbacAuthorizationV1')
  assert.equal(operationPrefix('work.open-cluster-management.io', 'v1'), 'WorkOpenClusterManagementIoV1')
  assert.equal(tagOf('work.open-cluster-management.io', 'v1'), 'workOpenClusterManagementIo_v1')
})

test('v3Document: offers strategic merge patches only for built-in kinds', async () => {
  const types = (document: Document, path: string): string[] =>
    Object.keys(document.paths[path]?.patch.requestBody.content ?? {})
  const builtin = types(await v3('apis/apps/v1'), ITEM)
  const custom = types(await v3('apis/zoo.example.com/v1'), '/apis/zoo.example.com/v1/apes/{name}')
  assert.ok(builtin.includes('application/strategic-merge-patch+json'))
  assert.ok(!custom.includes('application/strategic-merge-patch+json'))
  assert.ok(custom.includes('application/apply-patch+yaml'))
})

test('v3Document: has the extensions that apply and explain need', async () => {
  const { schemas } = (await v3('apis/apps/v1')).components
  const deployment = schemas['io.k8s.api.apps.v1.Deployment']
  assert.deepEqual(deployment?.['x-kubernetes-group-version-kind'], [
    { group: 'apps', kind: 'Deployment', version: 'v1' },
  ])
  assert.deepEqual(deployment?.required, ['spec'])
  assert.equal(typeof deployment?.description, 'string')
  assert.deepEqual(schemas['io.k8s.api.apps.v1.DeploymentSpec']?.properties, {
    container: { 'x-kubernetes-patch-strategy': 'retainKeys', allOf: [{ $ref: `${REF}io.k8s.api.core.v1.Container` }] },
    data: { type: 'string', format: 'byte' },
    extra: { 'x-kubernetes-preserve-unknown-fields': true },
  })
  assert.deepEqual(schemas['io.k8s.api.core.v1.Container']?.properties.ports, {
    type: 'array',
    items: { type: 'object', properties: { containerPort: { type: 'integer', format: 'int32' } } },
    'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-patch-merge-key': 'containerPort',
    'x-kubernetes-patch-strategy': 'merge',
  })
  assert.deepEqual(schemas['io.k8s.api.core.v1.Container']?.properties.protocol, { type: 'string', default: 'TCP' })
  assert.deepEqual(schemas['io.k8s.apimachinery.pkg.util.intstr.IntOrString']?.oneOf, [
    { type: 'integer' },
    { type: 'string' },
  ])
})

test('v2Document: contains the same without alternatives and defaults', async () => {
  const { definitions } = await v2()
  const container = definitions['io.k8s.api.core.v1.Container']
  assert.deepEqual(container?.properties.protocol, { type: 'string' })
  assert.equal(definitions['io.k8s.apimachinery.pkg.util.intstr.IntOrString']?.type, 'string')
  assert.deepEqual(definitions['io.k8s.api.apps.v1.DeploymentSpec']?.properties.container, {
    $ref: '#/definitions/io.k8s.api.core.v1.Container',
    'x-kubernetes-patch-strategy': 'retainKeys',
  })
})

test('OpenApi: resolves every reference', async () => {
  for (const document of [await v2(), await v3('apis/apps/v1'), await v3('apis/zoo.example.com/v1')]) {
    const references = JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)
    for (const [, path = ''] of references) {
      let target: unknown = document
      for (const step of path.split('/')) target = (target as Record<string, unknown> | undefined)?.[step]
      assert.ok(target, path)
    }
  }
})

test('OpenApi: has unique operation IDs', async () => {
  const ids = [...JSON.stringify(await v2()).matchAll(/"operationId":"([^"]+)"/g)].map(([, id]) => id)
  assert.ok(ids.length > 10)
  assert.equal(new Set(ids).size, ids.length)
})

test('OpenApi: publishes custom resources as their CRD defines them, with a list', async () => {
  const inV3 = (await v3('apis/zoo.example.com/v1')).components.schemas
  assert.equal(inV3['com.example.zoo.v1.Ape']?.nullable, true)
  assert.equal(inV3['com.example.zoo.v1.Ape']?.description, 'An ape.')
  assert.deepEqual(inV3['com.example.zoo.v1.Ape']?.['x-kubernetes-group-version-kind'], [
    { group: 'zoo.example.com', kind: 'Ape', version: 'v1' },
  ])
  assert.equal(inV3['com.example.zoo.v1.ApeList']?.description, 'Apes.')
  assert.deepEqual((await v2()).definitions['com.example.zoo.v1.ApeList']?.['x-kubernetes-selectable-fields'], [
    { fieldPath: 'spec.age' },
  ])
  assert.ok(inV3['io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'])
  assert.equal((await v2()).definitions['com.example.zoo.v1.Ape']?.nullable, undefined)
})

test('OpenApi: links each document with its hash in the index', async () => {
  const served = openapi()
  const index = JSON.parse((await served.index()).toString())
  assert.deepEqual(Object.keys(index.paths), ['apis/apps/v1', 'apis/zoo.example.com/v1'])
  assert.equal(
    index.paths['apis/apps/v1'].serverRelativeURL,
    `/openapi/v3/apis/apps/v1?hash=${(await served.v3('apis/apps/v1'))?.hash}`,
  )
})

test('OpenApi: keeps unchanged documents', async () => {
  const served = openapi()
  const apps = await served.v3('apis/apps/v1')
  const apes = await served.v3('apis/zoo.example.com/v1')
  served.update([DEPLOYMENTS, { ...APES, plural: 'gorillas' }])
  assert.equal(await served.v3('apis/apps/v1'), apps)
  assert.notEqual((await served.v3('apis/zoo.example.com/v1'))?.hash, apes?.hash)
  served.update([DEPLOYMENTS])
  assert.equal(await served.v3('apis/zoo.example.com/v1'), undefined)
})

function request(path: string, more: Partial<OpenApiRequest> = {}): OpenApiRequest {
  const nothing = { hash: undefined, accept: undefined, acceptEncoding: undefined, ifNoneMatch: undefined }
  return { path, ...nothing, now: new Date('2026-05-01T12:00:00Z'), ...more }
}

test('answerOpenApi: makes the correct hash cacheable forever and redirects a wrong one', async () => {
  const served = openapi()
  const path = '/openapi/v3/apis/apps/v1'
  const { hash } = (await served.v3('apis/apps/v1')) ?? assert.fail()
  const right = await answerOpenApi(served, request(path, { hash }))
  assert.equal(right?.status, 200)
  assert.equal(right.headers['cache-control'], 'public, immutable')
  assert.equal(right.headers.expires, 'Sat, 01 May 2027 12:00:00 GMT')
  const wrong = await answerOpenApi(served, request(path, { hash: 'ABC' }))
  assert.equal(wrong?.status, 301)
  assert.equal(wrong.headers.location, `${path}?hash=${hash}`)
  const known = await answerOpenApi(served, request(path, { ifNoneMatch: `"${hash}"` }))
  assert.equal(known?.status, 304)
  assert.equal(await answerOpenApi(served, request('/openapi/v3/apis/nope/v1')), undefined)
})

test('answerOpenApi: serves v2 in the form and encoding that the client accepts', async () => {
  const served = openapi()
  const plain = await answerOpenApi(served, request('/openapi/v2'))
  const zipped = await answerOpenApi(served, request('/openapi/v2', { acceptEncoding: 'gzip, deflate' }))
  assert.equal(plain?.headers['content-encoding'], undefined)
  assert.equal(zipped?.headers['content-encoding'], 'gzip')
  assert.ok(gunzipSync(zipped.body).equals(plain?.body ?? assert.fail()))
  const protobuf = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf'
  const binary = await answerOpenApi(served, request('/openapi/v2', { accept: protobuf, acceptEncoding: 'gzip;q=0' }))
  assert.equal(binary?.headers['content-type'], 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf')
  assert.equal((await answerOpenApi(served, request('/openapi/v2', { accept: 'text/html' })))?.status, 406)
})

test('OpenApi: serves other requests while it creates the documents of many CRDs', async () => {
  const properties = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, { type: 'string' }]))
  const custom = () => ({ schema: { type: 'object', properties }, listSchema: APE_LIST })
  const served = new OpenApi({ version: 'v1.36.0', schemas: { ...TEST_SCHEMAS, custom } })
  served.update(
    Array.from({ length: 300 }, (_, i) =>
      resourceOf('zoo.example.com', 'v1', `Ape${i}`, { custom: true, plural: `apes${i}` }),
    ),
  )
  const documents = [
    () => served.v2('json'),
    () => served.v2('protobuf'),
    () => served.v3('apis/zoo.example.com/v1'),
    () => served.index(),
  ]
  for (const create of documents) {
    let turns = 0
    let isDone = false
    const count = () => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    await create()
    isDone = true
    if (create !== documents.at(-1)) assert.ok(turns > 3, `${turns} turns`)
  }
  const [one, other] = await Promise.all([0, 1].map(async () => (await served.v2('json')).identity()))
  assert.equal(one, other)
})

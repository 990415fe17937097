import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { CustomResourceDefinition, type KubeObject } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { FuzzServer } from './fuzz-server.js'
import { builtinResources, type Resource, StoredEntry } from './internals.js'
import { SAMPLES } from './samples.js'

/** Stored objects are parsed once for all readers. Here they are frozen, so that a change throws. */
function freezeStoredObjects(t: TestContext): void {
  const parse = StoredEntry.prototype.object
  t.mock.method(StoredEntry.prototype, 'object', function (this: StoredEntry) {
    return frozen(parse.call(this))
  })
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const child of Object.values(value)) frozen(child)
  return Object.freeze(value)
}

type Exercised = Pick<Resource, 'group' | 'version' | 'plural' | 'namespaced'> & {
  readonly subresources: Iterable<string>
}

function collectionOf({ group, version, plural, namespaced }: Exercised): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`
}

const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const JSON_BODY = { 'content-type': 'application/json' }
const SETTLED: ReadonlySet<string> = new Set([
  'token',
  'binding',
  'eviction',
  'log',
  'exec',
  'attach',
  'portforward',
  'proxy',
])

test('stored objects: no verb changes an object that others read', async (t) => {
  freezeStoredObjects(t)
  const server = await FuzzServer.start(t)
  for (const resource of builtinResources()) {
    const sample = SAMPLES[`${resource.plural}.${resource.group}`]
    if (sample === undefined || resource.version !== resource.storage.version) continue
    await t.test(`${resource.plural}.${resource.group}`, () =>
      exercise(server, { ...resource, subresources: resource.subresources.keys() }, sample),
    )
  }
})

test('stored objects: no verb changes a custom resource that others read', async (t) => {
  freezeStoredObjects(t)
  const server = await FuzzServer.start(t)
  const sample = SAMPLES['customresourcedefinitions.apiextensions.k8s.io'] as unknown as CustomResourceDefinition
  const definition = await server.client.create(CustomResourceDefinition, sample)
  for await (const { object } of server.client.watch(CustomResourceDefinition)) {
    const isSame = object.metadata.name === definition.metadata.name
    if (isSame && isConditionTrue(object.status?.conditions, 'Established')) break
  }
  const gadgets = {
    group: 'fuzz.example.test',
    version: 'v1',
    plural: 'gadgets',
    namespaced: true,
    subresources: ['status', 'scale'],
  }
  await exercise(server, gadgets, { apiVersion: 'fuzz.example.test/v1', kind: 'Gadget', spec: { n: 1 } })
})

async function exercise(
  server: FuzzServer,
  resource: Exercised,
  sample: Readonly<Record<string, unknown>>,
): Promise<void> {
  const collection = collectionOf(resource)
  const finalizers = ['example.test/held']
  const given = (sample.metadata ?? {}) as { name?: string }
  const name = given.name ?? `shared-${resource.plural}`
  const path = `${collection}/${name}`
  const body = { ...sample, metadata: { ...given, name, finalizers, labels: { a: 'b' }, annotations: { c: 'd' } } }
  const made = await server.send({ method: 'POST', path: collection, headers: JSON_BODY, body: JSON.stringify(body) })
  assert.equal(made.status, 201, made.body.toString())
  const annotated = JSON.stringify({ metadata: { annotations: { touched: 'yes' } } })
  const endpoints = ['', ...[...resource.subresources].filter((one) => !SETTLED.has(one)).map((one) => `/${one}`)]
  for (const endpoint of endpoints) {
    await server.send({ method: 'PATCH', path: `${path}${endpoint}`, headers: MERGE, body: annotated })
    const current = await server.send({ method: 'GET', path: endpoint === '/scale' ? `${path}/scale` : path })
    await server.send({ method: 'PUT', path: `${path}${endpoint}`, headers: JSON_BODY, body: current.body })
    const { apiVersion, kind, spec } = JSON.parse(current.body.toString()) as KubeObject
    const applied = {
      apiVersion,
      kind,
      metadata: { name, labels: { applied: 'yes' } },
      ...(endpoint === '/scale' && { spec }),
    }
    await server.send({
      method: 'PATCH',
      path: `${path}${endpoint}?fieldManager=m&force=true`,
      headers: APPLY,
      body: JSON.stringify(applied),
    })
  }
  const deleted = await server.send({ method: 'DELETE', path })
  assert.equal(deleted.status, 200, deleted.body.toString())
  await server.send({ method: 'PATCH', path, headers: MERGE, body: JSON.stringify({ metadata: { finalizers: null } }) })
}

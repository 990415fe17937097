import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { GoMaestroClient, RefusedError } from './go-client.js'
import { configMap, names, workWith } from './sample-works.js'
import { createConsumer, type MaestroOfTest } from './servers.js'

const CONSUMER = 'sdk'

const work = (name: string, labels: Record<string, string> = {}) => workWith({ name, namespace: CONSUMER, labels })

/** Each operation of Maestro's SDK for sources, against any server, without an agent. */
export async function runSdk(t: TestContext, server: MaestroOfTest): Promise<void> {
  await createConsumer(server, CONSUMER)
  const client = await GoMaestroClient.start(t, server, 'interop', CONSUMER)
  await t.test('create and get', () => createsAndGets(client))
  await t.test('an unregistered consumer', () => refusesUnknownConsumer(t, server))
  await t.test('list with selectors and limits', () => lists(client))
  await t.test('patch', () => patches(client))
  await t.test('watch', () => watches(t, server, client))
  await t.test('delete', () => deletes(client))
}

async function createsAndGets(client: GoMaestroClient): Promise<void> {
  await assert.rejects(client.get('first'), isRefused('NotFound', 404))
  await client.create(work('first', { app: 'web' }))
  const found = await client.get('first')
  assert.equal(found.metadata.generation, 1)
  assert.equal(found.metadata.resourceVersion, '1')
  assert.deepEqual(found.metadata.labels, { app: 'web' })
  assert.deepEqual(found.spec?.workload?.manifests, [configMap('blue')])
  assert.notEqual(found.metadata.creationTimestamp, undefined)
  await assert.rejects(client.create(work('first')), isRefused('AlreadyExists', 409))
  const empty = { metadata: { name: 'empty', namespace: CONSUMER }, spec: {} }
  await assert.rejects(client.create(empty), isRefused('Invalid', 422))
}

async function refusesUnknownConsumer(t: TestContext, server: MaestroOfTest): Promise<void> {
  const client = await GoMaestroClient.start(t, server, 'interop', 'nobody')
  const lost = { ...work('lost'), metadata: { name: 'lost', namespace: 'nobody' } }
  await assert.rejects(client.create(lost), ({ refusal }: RefusedError) => {
    assert.equal(refusal.reason, 'PublishError')
    // Adapters look for the name of this constraint to detect a consumer that is not registered.
    assert.match(refusal.message, /fk_resources_consumers/)
    return true
  })
}

async function lists(client: GoMaestroClient): Promise<void> {
  await client.create(work('second', { app: 'web', tier: 'front' }))
  await client.create(work('third', { app: 'db', tier: 'back' }))
  await client.create(work('bare'))
  const select = async (selector: string) => names((await client.list({ selector })).items)
  assert.deepEqual(await select(''), ['bare', 'first', 'second', 'third'])
  assert.deepEqual(await select('app=web'), ['first', 'second'])
  assert.deepEqual(await select('app=web,tier=front'), ['second'])
  assert.deepEqual(await select('app in (web, db)'), ['first', 'second', 'third'])
  assert.deepEqual(await select('app=none'), [])
  const firstPage = await client.list({ limit: 3 })
  assert.equal(firstPage.items.length, 3)
  const rest = await client.list({ limit: 3, continue: firstPage.metadata.continue ?? '' })
  assert.deepEqual(names([...firstPage.items, ...rest.items]), ['bare', 'first', 'second', 'third'])
}

async function patches(client: GoMaestroClient): Promise<void> {
  await client.patch('first', { metadata: { labels: { app: 'web', changed: 'yes' } } })
  await client.patch('first', { spec: { workload: { manifests: [configMap('green')] } } })
  const found = await client.get('first')
  assert.equal(found.metadata.generation, 3)
  assert.deepEqual(found.metadata.labels, { app: 'web', changed: 'yes' })
  assert.deepEqual(found.spec?.workload?.manifests, [configMap('green')])
  const stale = {
    metadata: { generation: 1, resourceVersion: '1' },
    spec: { workload: { manifests: [configMap('red')] } },
  }
  await assert.rejects(client.patch('first', stale), ({ refusal }: RefusedError) => {
    assert.match(refusal.message, /the resource version is not the latest/)
    return true
  })
  const replace = [{ op: 'replace', path: '/metadata/labels/changed', value: 'again' }]
  await client.patch('first', replace, 'json-patch')
  assert.equal((await client.get('first')).metadata.labels?.changed, 'again')
  await assert.rejects(client.patch('missing', { metadata: { labels: {} } }), isRefused('NotFound', 404))
}

/** Without an agent there is no status, and the server sends only what has one: these are the initial events. */
async function watches(t: TestContext, server: MaestroOfTest, writer: GoMaestroClient): Promise<void> {
  const watcher = await GoMaestroClient.start(t, server, 'interop', CONSUMER)
  const events = await watcher.watch()
  const expected = names((await writer.list()).items)
  await eventually('every work is seen', async () => names(events.map((event) => event.work)).length >= expected.length)
  assert.deepEqual(names(events.map((event) => event.work)), expected)
  assert.deepEqual(
    events.map(({ type }) => type),
    expected.map(() => 'MODIFIED'),
  )
}

async function deletes(client: GoMaestroClient): Promise<void> {
  await client.delete('third')
  // An agent has to confirm the deletion.
  assert.notEqual((await client.get('third')).metadata.deletionTimestamp, undefined)
  await client.delete('third')
  await client.delete('never-there')
  await assert.rejects(client.patch('third', { metadata: { labels: { app: 'x' } } }), ({ refusal }: RefusedError) => {
    assert.match(refusal.message, /under deletion/)
    return true
  })
}

function isRefused(reason: string, code: number): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof RefusedError, String(error))
    assert.deepEqual([error.refusal.reason, error.refusal.code], [reason, code], error.message)
    return true
  }
}

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { ManifestWork } from '@orrery/api'
import { isAlreadyExists, isBadRequest, isConflict, isForbidden, isInvalid, isNotFound } from '@orrery/kinds/values'
import { eventually } from '@orrery/kube/testing'
import { type MaestroWorkClient, type ManifestWorks, maestroWorkClient, type WorkEvent } from '@orrery/maestro'
import { configMap, names, workWith } from './sample-works.js'
import type { MaestroOfTest } from './servers.js'

type Ports = Pick<MaestroOfTest, 'rest' | 'sources'>

const CONSUMER = 'orrery-sdk'

const work = (name: string, labels: Record<string, string> = {}) => workWith({ name, labels })

function orreryClient(t: Pick<TestContext, 'after'>, { rest, sources }: Ports, sourceId: string): MaestroWorkClient {
  const client = maestroWorkClient({ apiUrl: rest, grpcUrl: sources, sourceId })
  t.after(() => client.close())
  return client
}

/** Each operation of Orrery's client, against any server, without an agent. */
export async function runOrrerySdk(t: TestContext, server: Ports): Promise<void> {
  const client = orreryClient(t, server, 'orrery')
  await t.test('consumers', () => managesConsumers(client))
  const works = client.manifestWorks(CONSUMER)
  await t.test('create and get', () => createsAndGets(client, works))
  await t.test('list with selectors and limits', () => lists(client, works))
  await t.test('update and patch', () => changes(works))
  await t.test('watch', () => watches(t, server, works))
  await t.test('delete', () => deletes(client, works))
}

async function managesConsumers({ consumers }: MaestroWorkClient): Promise<void> {
  await assert.rejects(consumers.get(CONSUMER), isNotFound)
  const created = await consumers.create({ name: CONSUMER, labels: { region: 'north' } })
  assert.deepEqual([created.name, created.labels], [CONSUMER, { region: 'north' }])
  await assert.rejects(consumers.create({ name: CONSUMER }), isAlreadyExists)
  await assert.rejects(consumers.create({ name: 'Not_A_Label' }), isBadRequest)
  assert.deepEqual((await consumers.setLabels(CONSUMER, { region: 'south' })).labels, { region: 'south' })
  assert.deepEqual((await consumers.get(CONSUMER)).labels, { region: 'south' })
  await consumers.create({ name: 'short-lived' })
  assert.ok((await consumers.list()).some(({ name }) => name === 'short-lived'))
  await consumers.delete('short-lived')
  await assert.rejects(consumers.delete('short-lived'), isNotFound)
}

async function createsAndGets(client: MaestroWorkClient, works: ManifestWorks): Promise<void> {
  await assert.rejects(works.get('first'), isNotFound)
  const executor = {
    subject: { type: 'ServiceAccount', serviceAccount: { namespace: 'default', name: 'writer' } },
  } as const
  const first = work('first', { app: 'web' })
  const created = await works.create({ ...first, spec: { ...first.spec, executor } })
  const found = await works.get('first')
  assert.deepEqual(created, found)
  assert.deepEqual([found.metadata.generation, found.metadata.resourceVersion], [1, '1'])
  assert.deepEqual([found.metadata.namespace, found.metadata.labels], [CONSUMER, { app: 'web' }])
  assert.deepEqual(found.spec, { workload: { manifests: [configMap('blue')] }, executor })
  assert.match(found.metadata.creationTimestamp, /^20/)
  await assert.rejects(works.create(work('first')), isAlreadyExists)
  await assert.rejects(works.create({ metadata: { name: 'empty' }, spec: {} }), isInvalid)
  await assert.rejects(client.manifestWorks('nobody').create(work('lost')), (error: Error) => {
    assert.ok(isNotFound(error))
    assert.match(error.message, /consumer "nobody" is not registered in Maestro/)
    return true
  })
}

async function lists(client: MaestroWorkClient, works: ManifestWorks): Promise<void> {
  await works.create(work('second', { app: 'web', tier: 'front' }))
  await works.create(work('third', { app: 'db', tier: 'back' }))
  await works.create(work('bare'))
  const select = async (labelSelector: string) => names((await works.list({ labelSelector })).items)
  assert.deepEqual(await select(''), ['bare', 'first', 'second', 'third'])
  assert.deepEqual(await select('app=web'), ['first', 'second'])
  assert.deepEqual(await select('app=web,tier=front'), ['second'])
  assert.deepEqual(await select('app in (web, db)'), ['first', 'second', 'third'])
  assert.deepEqual(await select('app!=web'), ['bare', 'third'])
  assert.deepEqual(await select('app notin (web)'), ['bare', 'third'])
  assert.deepEqual(await select('tier'), ['second', 'third'])
  assert.deepEqual(await select('!tier,app'), ['first'])
  const many = Array.from({ length: 12 }, (_, index) => `l${index}!=x`).join(',')
  assert.deepEqual(await select(`app=web,${many}`), ['first', 'second'])
  await assert.rejects(works.list({ labelSelector: 'app in' }), isBadRequest)
  const paged: ManifestWork[] = []
  for (let next: string | undefined = ''; next !== undefined; ) {
    const page: Awaited<ReturnType<ManifestWorks['list']>> = await works.list({ limit: 1, continue: next })
    paged.push(...page.items)
    next = page.continue
  }
  assert.deepEqual(names(paged), ['bare', 'first', 'second', 'third'])
  assert.ok((await client.manifestWorks().list()).items.length >= 4)
}

async function changes(works: ManifestWorks): Promise<void> {
  const first = await works.get('first')
  const updated = await works.update({ ...first, metadata: { ...first.metadata, labels: { app: 'web', step: 'one' } } })
  assert.deepEqual([updated.metadata.generation, updated.metadata.labels], [2, { app: 'web', step: 'one' }])
  await assert.rejects(works.update(first), isConflict)
  await assert.rejects(works.update(work('first')), isInvalid)
  const patched = await works.patch('first', { spec: { workload: { manifests: [configMap('green')] } } })
  assert.deepEqual(patched.spec?.workload?.manifests, [configMap('green')])
  assert.equal(patched.spec?.executor?.subject?.type, 'ServiceAccount')
  assert.equal((await works.patch('first', { metadata: { labels: { app: 'web' } } })).metadata.generation, 3)
  const operations = [{ op: 'replace', path: '/metadata/labels/step', value: 'two' }]
  assert.equal((await works.patch('first', operations, { type: 'json' })).metadata.labels?.step, 'two')
  const strategic = { metadata: { labels: { $patch: 'replace', app: 'web' } } }
  assert.deepEqual((await works.patch('first', strategic, { type: 'strategic' })).metadata.labels, { app: 'web' })
  const stale = { metadata: { resourceVersion: '1', labels: { step: 'three' } } }
  await assert.rejects(works.patch('first', stale), isConflict)
  await assert.rejects(works.patch('missing', {}), isNotFound)
  await Promise.all(['a', 'b', 'c'].map((key) => works.patch('first', { metadata: { labels: { [key]: 'x' } } })))
  assert.deepEqual((await works.get('first')).metadata.labels, { app: 'web', a: 'x', b: 'x', c: 'x' })
}

/** Without an agent the server reports no change: the watch of another client sees them when it lists again. */
async function watches(t: TestContext, server: Ports, works: ManifestWorks): Promise<void> {
  const own = collect(t, works)
  const { rest: apiUrl, sources: grpcUrl } = server
  const other = maestroWorkClient({ apiUrl, grpcUrl, sourceId: 'orrery', resyncMilliseconds: 200 })
  t.after(() => other.close())
  const others = collect(t, other.manifestWorks(CONSUMER), 'app=web')
  await eventually('the existing works are reported', () => own.length === 4 && others.length === 2)
  assert.deepEqual(
    [...own, ...others].map(({ type }) => type),
    Array(6).fill('ADDED'),
  )
  await works.create(work('fourth', { app: 'web' }))
  await works.patch('fourth', { metadata: { labels: { app: 'none' } } })
  const seen = (events: readonly WorkEvent[]) =>
    events.filter(({ object }) => object.metadata.name === 'fourth').map(({ type }) => type)
  await eventually('this client sees its changes', () => seen(own).length === 2, { seen: () => seen(own).join() })
  assert.deepEqual(seen(own), ['ADDED', 'MODIFIED'])
  await works.patch('fourth', { metadata: { labels: { app: 'web' } } })
  await eventually('the other client sees the work', () => seen(others).at(-1) === 'ADDED')
  await works.patch('fourth', { metadata: { labels: { app: null } } })
  await eventually('it is no longer selected', () => seen(others).at(-1) === 'DELETED')
}

function collect(
  t: Pick<TestContext, 'after'>,
  works: Pick<ManifestWorks, 'watch'>,
  labelSelector = '',
): readonly WorkEvent[] {
  const events: WorkEvent[] = []
  const stop = new AbortController()
  const done = (async () => {
    for await (const event of works.watch({ labelSelector, signal: stop.signal })) events.push(event)
  })()
  t.after(async () => {
    stop.abort()
    await done
  })
  return events
}

async function deletes({ consumers }: MaestroWorkClient, works: ManifestWorks): Promise<void> {
  await works.delete('third')
  // An agent has to confirm the deletion.
  assert.notEqual((await works.get('third')).metadata.deletionTimestamp, undefined)
  await works.delete('third')
  await assert.rejects(works.delete('never-there'), isNotFound)
  await assert.rejects(works.patch('third', { metadata: { labels: { app: 'x' } } }), isConflict)
  await assert.rejects(consumers.delete(CONSUMER), isForbidden)
}

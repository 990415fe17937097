import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import test from 'node:test'
import { FakeClock } from '@orrery/kube/testing'
import fc from 'fast-check'
import { openStore } from '../store/open.js'
import { encodeObject, temporaryDirectory } from '../store/testing.fixture.js'
import type { Entry, Store } from '../store/types.js'
import { createWatchHub } from './hub.js'
import { LabelFilter, PlainEncoding, RecordingSink, watchRequest } from './testing.fixture.js'
import type { WatchHub, WatchRequest } from './types.js'

const NAMESPACES = ['a', 'b']
const NAMES = ['one', 'two', 'three']

const change = fc.record({
  kind: fc.constant('change' as const),
  namespace: fc.constantFrom(...NAMESPACES),
  name: fc.constantFrom(...NAMES),
  action: fc.constantFrom('plain', 'blue', 'remove'),
})
const watch = fc.record({
  kind: fc.constant('watch' as const),
  namespace: fc.constantFrom(undefined, ...NAMESPACES),
  name: fc.constantFrom(undefined, ...NAMES),
  blue: fc.boolean(),
  list: fc.boolean(),
  reluctant: fc.boolean(),
})
const step = fc.oneof(
  { weight: 8, arbitrary: change },
  { weight: 2, arbitrary: watch },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('drain' as const), watcher: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reconnect' as const), watcher: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** A client that keeps a copy of what it watches, over any number of connections. */
class Client {
  readonly objects = new Map<string, number>()
  readonly #selection: Pick<WatchRequest, 'namespace' | 'name' | 'filter'>
  readonly #reluctant: boolean
  #sink = new RecordingSink()
  #read = 0
  #revision: number

  constructor(selection: Pick<WatchRequest, 'namespace' | 'name' | 'filter'>, reluctant: boolean, revision: number) {
    this.#selection = selection
    this.#reluctant = reluctant
    this.#revision = revision
  }

  connect(hub: WatchHub, initial: readonly Entry[] = []): void {
    this.#sink = new RecordingSink()
    this.#sink.reluctant = this.#reluctant
    this.#read = 0
    hub.open(watchRequest(this.#sink, { ...this.#selection, since: this.#revision, initial }))
  }

  /** Drains the sink, like a client that keeps reading. */
  drain(): void {
    for (let before = -1; before !== this.#sink.chunks.length; ) {
      before = this.#sink.chunks.length
      this.#sink.drain()
    }
  }

  /** Applies received events like an informer, and checks their order. */
  read(): void {
    const lines = this.#sink.text.split('\n').slice(0, -1)
    for (const line of lines.slice(this.#read)) {
      const { type, object } = JSON.parse(line)
      const revision = Number(object.metadata.resourceVersion)
      const key = `${object.data.value}/${object.metadata.name}`
      if (type === 'ADDED') assert.ok(!this.objects.has(key), `${key} was added twice`)
      else assert.ok(this.objects.has(key), `${key} was ${type} before it was added`)
      if (type === 'DELETED') this.objects.delete(key)
      else this.objects.set(key, revision)
      this.#revision = Math.max(this.#revision, revision)
    }
    this.#read = lines.length
  }

  disconnect(): void {
    this.read()
    this.#sink.close()
  }

  expected(store: Store): Map<string, number> {
    const { namespace, name, filter } = this.#selection
    const matches = (entry: Entry) => (name === undefined || entry.name === name) && (filter?.matches(entry) ?? true)
    const { entries } = store.page({ bucket: 'things', namespace, matches })
    return new Map(entries.map((entry) => [`${entry.namespace}/${entry.name}`, entry.revision]))
  }
}

test('WatchHub: leaves every client with the current state, whatever it watches and however slowly it reads', async (t) => {
  const directory = temporaryDirectory(t)
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
    rmSync(directory, { recursive: true, force: true })
    await play(directory, steps)
  })
  await fc.assert(property, { numRuns: 150 })
})

async function play(directory: string, steps: readonly Step[]): Promise<void> {
  const clock = new FakeClock()
  let store = await openStore(directory, { clock })
  let hub = createWatchHub(store, { clock, limits: { queuedEvents: 3 } })
  const clients: Client[] = []
  let writes: Promise<unknown>[] = []
  for (const one of steps) {
    const client = 'watcher' in one ? clients[one.watcher % clients.length] : undefined
    if (one.kind === 'change') writes.push(apply(store, one))
    if (one.kind === 'watch') clients.push(start(store, hub, one))
    if (one.kind === 'drain') client?.drain()
    if (one.kind === 'reconnect') client?.disconnect()
    if (one.kind === 'reconnect') client?.connect(hub)
    if (one.kind === 'settle' || one.kind === 'reopen') {
      await Promise.all(writes)
      writes = []
    }
    if (one.kind === 'reopen') {
      for (const each of clients) each.disconnect()
      hub.close()
      await store.close()
      store = await openStore(directory, { clock })
      hub = createWatchHub(store, { clock, limits: { queuedEvents: 3 } })
      for (const each of clients) each.connect(hub)
    }
  }
  await Promise.all(writes)
  for (const client of clients) {
    client.drain()
    client.read()
    assert.deepEqual(client.objects, client.expected(store))
  }
  hub.close()
  await store.close()
}

/** The namespace is the value, so that events show their namespace. */
function apply(store: Store, { namespace, name, action }: Extract<Step, { kind: 'change' }>): Promise<unknown> {
  const head = store.head('things', namespace, name)
  if (action !== 'remove') {
    const labels = action === 'blue' ? { blue: 'yes' } : {}
    return store.put('things', namespace, name, head, encodeObject(name, namespace, labels))
  }
  if (head === undefined) return Promise.resolve()
  return store.remove('things', namespace, name, head, (revision) => {
    const object = head.object()
    return Buffer.from(
      JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }),
    )
  })
}

function start(store: Store, hub: WatchHub, request: Extract<Step, { kind: 'watch' }>): Client {
  const { namespace, name } = request
  const filter = request.blue ? new LabelFilter('blue') : undefined
  const client = new Client({ namespace, name, filter }, request.reluctant, request.list ? store.revision : 0)
  const initial = request.list ? [...client.expected(store)].map(([key]) => entryOf(store, key)) : []
  client.connect(hub, initial)
  return client
}

function entryOf(store: Store, key: string): Entry {
  const [namespace = '', name = ''] = key.split('/')
  return store.get('things', namespace, name) as Entry
}

test('WatchHub: sends two thousand watchers in five hundred namespaces exactly their events, in order and once', async (t) => {
  const clock = new FakeClock()
  const store = await openStore(temporaryDirectory(t), { clock })
  const hub = createWatchHub(store, { clock })
  const encoding = new PlainEncoding()
  const sinks = Array.from({ length: 2000 }, (_, index) => {
    const sink = new RecordingSink()
    hub.open(watchRequest(sink, { namespace: `ns${index % 500}`, encoding }))
    return sink
  })
  const rounds = 4
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => {
        const head = store.head('things', `ns${index}`, 'a')
        return store.put('things', `ns${index}`, 'a', head, encodeObject('a', round))
      }),
    )
  }
  assert.equal(encoding.calls, 500 * rounds)
  for (const sink of sinks)
    assert.deepEqual(
      sink.events.map((event) => event.value),
      ['0', '1', '2', '3'],
    )
  hub.close()
  await store.close()
})

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import test from 'node:test'
import fc from 'fast-check'
import { StoredEntry } from './entry.js'
import { openStore } from './open.js'
import { compareBytewise } from './order.js'
import { dataOf, encodeObject, temporaryDirectory } from './testing.fixture.js'
import { type Change, type Entry, HeadMoved, RevisionCompacted, type Store } from './types.js'

const NAMESPACES = ['', 'a', 'a-b', 'b']
const NAMES = ['one', 'three', 'two', 'zero']
const BUCKETS = ['things', 'others']

/** The reference model of a store: every state and every change. */
class Model {
  readonly states: { revision: number; objects: Map<string, string> }[] = [{ revision: 0, objects: new Map() }]
  readonly changes: string[][] = []
  compacted = 0

  get objects(): Map<string, string> {
    return this.states[this.states.length - 1]?.objects as Map<string, string>
  }

  get revision(): number {
    return this.states[this.states.length - 1]?.revision as number
  }

  record(revision: number, key: string, value: string | undefined): void {
    const previous = this.objects.get(key)
    const objects = new Map(this.objects)
    if (value === undefined) objects.delete(key)
    else objects.set(key, value)
    this.states.push({ revision, objects })
    const type = value === undefined ? 'DELETED' : previous === undefined ? 'ADDED' : 'MODIFIED'
    this.changes.push([String(revision), type, key, value ?? 'gone', previous ?? ''])
  }
}

const place = fc.tuple(fc.constantFrom(...BUCKETS), fc.constantFrom(...NAMESPACES), fc.constantFrom(...NAMES))
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('put' as const), place }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('remove' as const), place }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('compact' as const), back: fc.nat(6) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('reopen' as const) }) },
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

test('LogStore: equals a simple model at every revision, also after a reopen', async (t) => {
  const directory = temporaryDirectory(t)
  const property = fc.asyncProperty(
    fc.array(step, { maxLength: 40 }),
    fc.constantFrom(0, 200, 1_000_000),
    async (steps, warmBytes) => {
      rmSync(directory, { recursive: true, force: true })
      await compare(directory, steps, warmBytes)
    },
  )
  await fc.assert(property, { numRuns: 60 })
})

async function compare(directory: string, steps: readonly Step[], warmBytes: number): Promise<void> {
  const model = new Model()
  let store = await openStore(directory, { retention: { warmBytes } })
  let value = 0
  let waiting: Promise<Entry>[] = []
  const settle = async () => {
    await Promise.all(waiting)
    waiting = []
    assertSame(store, model)
  }
  for (const one of steps) {
    if (one.kind === 'put' || one.kind === 'remove') {
      const [bucket, namespace, name] = one.place
      const key = one.place.join('/')
      const head = store.head(bucket, namespace, name)
      assert.equal(head === undefined, !model.objects.has(key))
      const stale = head === undefined ? fakeEntry(one.place) : undefined
      assert.throws(() => store.put(bucket, namespace, name, stale, encodeObject(name, 'never')), HeadMoved)
      if (one.kind === 'remove' && head === undefined) continue
      const text = one.kind === 'put' ? `v${value++}` : 'gone'
      let revision = 0
      const encode = (assigned: number) => {
        revision = assigned
        return encodeObject(name, text)(assigned)
      }
      if (one.kind === 'put') waiting.push(store.put(bucket, namespace, name, head, encode))
      else if (head !== undefined) waiting.push(store.remove(bucket, namespace, name, head, encode))
      assert.ok(revision > model.revision)
      model.record(revision, key, one.kind === 'put' ? text : undefined)
      continue
    }
    await settle()
    if (one.kind === 'compact') {
      model.compacted = Math.max(model.compacted, model.revision - one.back)
      await store.compact(model.revision - one.back)
      assertSame(store, model)
    }
    if (one.kind === 'reopen') {
      await store.close()
      store = await openStore(directory, { retention: { warmBytes } })
      assertSame(store, model)
    }
  }
  await settle()
  await store.close()
}

function assertSame(store: Store, model: Model): void {
  assert.equal(store.revision, model.revision)
  assert.equal(store.compactedRevision, model.compacted)
  for (const bucket of BUCKETS) {
    for (const state of model.states) assertPages(store, model, bucket, state)
    for (let since = 0; since <= model.revision; since++) {
      if (since < model.compacted) assert.throws(() => store.changesSince(bucket, since), RevisionCompacted)
      else assert.deepEqual([...store.changesSince(bucket, since)].map(describe), changesOf(model, bucket, since))
    }
  }
}

function assertPages(store: Store, model: Model, bucket: string, state: Model['states'][number]): void {
  const { revision, objects } = state
  if (revision < model.compacted) {
    assert.throws(() => store.page({ bucket, namespace: undefined, revision }), RevisionCompacted)
    return
  }
  for (const namespace of [undefined, ...NAMESPACES]) {
    const expected = [...objects]
      .map(([key, value]) => ({ path: key.split('/') as [string, string, string], value }))
      .filter(({ path }) => path[0] === bucket && (namespace === undefined || path[1] === namespace))
      .sort((a, b) => compareBytewise(a.path[1], b.path[1]) || compareBytewise(a.path[2], b.path[2]))
    for (const limit of [1, 3, undefined]) {
      assert.deepEqual(
        pageThrough(store, bucket, namespace, revision, limit),
        expected.map(({ path, value }) => [path[1], path[2], value]),
      )
    }
    if (revision === model.revision) assert.equal(store.count(bucket, namespace), expected.length)
  }
}

function pageThrough(store: Store, bucket: string, namespace: string | undefined, revision: number, limit?: number) {
  const found: (string | undefined)[][] = []
  let after: { namespace: string; name: string } | undefined
  let remaining: number | undefined
  do {
    const page = store.page({ bucket, namespace, revision, ...(after && { after }), ...(limit && { limit }) })
    assert.equal(page.revision, revision)
    if (remaining !== undefined) assert.equal(page.entries.length + page.remaining, remaining)
    for (const entry of page.entries) found.push([entry.namespace, entry.name, dataOf(entry)])
    after = page.entries[page.entries.length - 1]
    remaining = page.remaining
  } while (remaining > 0)
  return found
}

function changesOf(model: Model, bucket: string, since: number): string[][] {
  return model.changes.filter(([revision, , key]) => Number(revision) > since && key?.startsWith(`${bucket}/`))
}

function describe(change: Change): (string | undefined)[] {
  const { entry, previous } = change
  assert.equal(entry.revision, change.revision)
  assert.equal(entry.object().metadata.resourceVersion, String(change.revision))
  const key = `${entry.bucket}/${entry.namespace}/${entry.name}`
  return [String(change.revision), change.type, key, dataOf(entry), dataOf(previous) ?? '']
}

function fakeEntry([bucket, namespace, name]: readonly [string, string, string]): Entry {
  const bytes = encodeObject(name, 'fake')(999_999)
  return new StoredEntry(bucket, namespace, name, 999_999, bytes)
}

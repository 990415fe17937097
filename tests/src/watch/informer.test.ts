import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { KubeObject } from '@orrery/kinds'
import { eventually } from '@orrery/kube/testing'
import { Client, revisionOf } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { startServer } from '../support/server.js'
import { http2Streams, type Streams } from '../support/streams.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'

async function start(t: TestContext): Promise<{ client: Client; streams: Streams }> {
  const server = await startServer(t)
  const client = new Client(server)
  const streams = http2Streams(server, 1)
  t.after(() => client.close())
  t.after(() => streams.close())
  return { client, streams }
}

interface RawEvent {
  readonly type: string
  readonly object: KubeObject
}

/** All events of one stream until it ends. */
function collect(streams: Streams, path: string): { events: RawEvent[]; ended: Promise<boolean> } {
  const events: RawEvent[] = []
  const ended = new Promise<boolean>((resolve) => {
    streams.open(path, { line: (text) => events.push(JSON.parse(text) as RawEvent), end: resolve })
  })
  return { events, ended }
}

function summary(events: readonly { readonly type: string; readonly object: KubeObject }[]): string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`)
}

test('watch: pages and the watch after them omit and repeat nothing while writers run', async (t) => {
  const { client, streams } = await start(t)
  const names = Array.from({ length: 700 }, (_, index) => `n${String(index).padStart(3, '0')}`)
  await Promise.all(names.map((name) => client.ok('POST', COLLECTION, { metadata: { name }, data: { value: '0' } })))

  const changes = new Map<string, number>()
  let paging = true
  const writing = (async () => {
    for (let index = 0; paging || index < 50; index++) {
      const name = names[(index * 37) % names.length] as string
      const changed = await client.ok('PATCH merge', `${COLLECTION}/${name}`, { data: { value: `${index + 1}` } })
      changes.set(`${name}@${revisionOf(changed)}`, revisionOf(changed))
    }
  })()
  const items: KubeObject[] = []
  let next = ''
  let revision = 0
  do {
    const page = await client.ok('GET', `${COLLECTION}?limit=100&continue=${encodeURIComponent(next)}`)
    const seen = revisionOf(page)
    if (revision !== 0) assert.equal(seen, revision, 'every page shows the same moment')
    revision = seen
    items.push(...(page.items as KubeObject[]))
    next = (page.metadata as { continue?: string }).continue ?? ''
  } while (next !== '')
  paging = false
  const listed = items.map((item) => item.metadata.name).filter((name) => name !== 'kube-root-ca.crt')
  assert.deepEqual(listed, names)
  assert.ok(items.every((item) => revisionOf(item) <= revision))

  const watch = new ResumingWatch(COLLECTION, revision)
  watch.connect(streams)
  await writing
  const expected = [...changes].filter(([, at]) => at > revision).map(([key]) => key)
  await eventually('the watch has seen the rest', () => watch.events.length >= expected.length)
  assert.deepEqual(
    watch.events.map((event) => `${event.object.metadata.name}@${event.revision}`),
    expected,
  )
  watch.stop()
})

test('watch: initial events come first, then their end is marked, then changes', async (t) => {
  const { client, streams } = await start(t)
  const names = Array.from({ length: 300 }, (_, index) => `n${String(index).padStart(3, '0')}`)
  await Promise.all(
    names.map((name) => client.ok('POST', COLLECTION, { metadata: { name, labels: { streamed: 'yes' } } })),
  )
  const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
  const { events, ended } = collect(streams, `${COLLECTION}?${query}&labelSelector=streamed&timeoutSeconds=2`)
  await eventually('the initial events are through', () => events.some(({ type }) => type === 'BOOKMARK'))
  const end = events.findIndex(({ type }) => type === 'BOOKMARK')
  assert.deepEqual(
    summary(events.slice(0, end)),
    names.map((name) => `ADDED ${name}`),
  )
  assert.equal(events[end]?.object.metadata.annotations?.['k8s.io/initial-events-end'], 'true')
  assert.equal(events[end]?.object.kind, 'ConfigMap')
  await client.ok('DELETE', `${COLLECTION}/n000`)
  const last = await client.ok('POST', COLLECTION, { metadata: { name: 'elsewhere' } })
  assert.equal(await ended, true)
  const after = events.slice(end + 1)
  assert.deepEqual(summary(after.slice(0, 1)), ['DELETED n000'])
  const bookmark = after.at(-1) as RawEvent
  assert.equal(bookmark.type, 'BOOKMARK', 'a watch that is about to end says how far it came')
  assert.ok(revisionOf(bookmark.object) >= revisionOf(last))
})

test('watch: objects enter and leave a selection as added and deleted', async (t) => {
  const { client, streams } = await start(t)
  const { revision } = await client.list(COLLECTION)
  const watch = new ResumingWatch(`${COLLECTION}?labelSelector=color%3Dblue`, revision)
  watch.connect(streams)
  t.after(() => watch.stop())
  const paint = (color: string | null) =>
    client.ok('PATCH merge', `${COLLECTION}/thing`, { metadata: { labels: { color } } })
  await client.ok('POST', COLLECTION, { metadata: { name: 'thing', labels: { color: 'red' } } })
  await paint('blue')
  await client.ok('PATCH merge', `${COLLECTION}/thing`, { data: { still: 'blue' } })
  const left = await paint('green')
  await paint('red')
  await paint('blue')
  await client.ok('DELETE', `${COLLECTION}/thing`)
  const expected = ['ADDED', 'MODIFIED', 'DELETED', 'ADDED', 'DELETED'].map((type) => `${type} thing`)
  await eventually('all is seen', () => watch.events.length >= expected.length)
  assert.deepEqual(summary(watch.events), expected)
  const leaving = watch.events[2]
  assert.equal(leaving?.revision, revisionOf(left), 'leaving is told at the revision that did it')
  assert.equal(leaving?.object.metadata.labels?.color, 'blue', 'and shows the last state inside')
})

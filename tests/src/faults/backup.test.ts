import assert from 'node:assert/strict'
import { cp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { orrery } from '../support/cli-here.js'
import { Client, revisionOf } from '../support/client.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { type ServerProcess, startServer, temporaryDirectory } from '../support/server.js'
import { http1Streams } from '../support/streams.js'
import { dataFileOf } from './data-file.js'

const COLLECTION = '/api/v1/namespaces/default/configmaps'

function clientOf(t: TestContext, server: ServerProcess): Client {
  const client = new Client(server)
  t.after(() => client.close())
  return client
}

/** A watch from a revision gets 410 and has to list again. */
async function expectGone(t: TestContext, server: ServerProcess, since: number): Promise<void> {
  const streams = http1Streams(server)
  t.after(() => streams.close())
  const watch = new ResumingWatch(COLLECTION, since)
  t.after(() => watch.stop())
  watch.connect(streams)
  await eventually('the watch gets 410', () => watch.gone !== undefined)
  assert.deepEqual([watch.gone?.code, watch.gone?.reason], [410, 'Expired'])
  assert.equal(watch.events.length, 0)
}

/** Creates objects one after the other until it is stopped; each names the one before. */
function startWriting(client: Client): { readonly written: Map<string, number>; stop(): Promise<void> } {
  const written = new Map<string, number>()
  let stopped = false
  const writing = (async () => {
    for (let index = 0; !stopped; index++) {
      const name = `n${index}`
      const made = await client.ok('POST', COLLECTION, { metadata: { name }, data: { index: `${index}` } })
      written.set(name, revisionOf(made))
    }
  })()
  return {
    written,
    stop() {
      stopped = true
      return writing
    },
  }
}

test('backup: one made under load restores a consistent state, and old clients have to list again', async (t) => {
  const server = await startServer(t)
  const client = clientOf(t, server)
  const file = join(await temporaryDirectory(t), 'cluster.bak')
  const load = startWriting(client)
  await eventually('writes run', () => load.written.size > 30)
  const before = [...load.written.keys()]
  const backup = await orrery('apiserver', 'backup', '--data', server.dataDirectory, file)
  assert.deepEqual([backup.code, backup.errors], [0, ''])
  const after = load.written.size
  await eventually('writes continue', () => load.written.size > after)
  await load.stop()
  const { revision } = await client.list(COLLECTION)

  const target = join(await temporaryDirectory(t), 'restored')
  const restored = await orrery('apiserver', 'restore', '--data', target, file)
  assert.deepEqual([restored.code, restored.errors], [0, ''])
  await cp(join(server.dataDirectory, 'pki'), join(target, 'pki'), { recursive: true })
  const copy = await startServer(t, { dataDirectory: target })
  const restoredClient = clientOf(t, copy)
  const list = await restoredClient.list(COLLECTION)
  assert.ok(list.revision > revision, 'no revision is given out twice')
  const indexes = list.items.flatMap(({ data, metadata }) => {
    const index = (data as { index?: string }).index
    return index === undefined ? [] : [[Number(index), metadata.name] as const]
  })
  const count = indexes.length
  assert.ok(count >= before.length)
  assert.deepEqual(
    indexes.sort(([a], [b]) => a - b),
    Array.from({ length: count }, (_, index) => [index, `n${index}`]),
    'everything up to one moment, and nothing after it',
  )
  await expectGone(t, copy, revision)
  await restoredClient.ok('POST', COLLECTION, { metadata: { name: 'goes-on' } })

  const inUse = await orrery('apiserver', 'restore', '--data', target, '--force', file)
  assert.equal(inUse.code, 1)
  assert.match(inUse.errors, /in use by process/)
  await copy.stop()
  const occupied = await orrery('apiserver', 'restore', '--data', target, file)
  assert.equal(occupied.code, 1)
  assert.match(occupied.errors, /already contains data.*--force/)
  const forced = await orrery('apiserver', 'restore', '--data', target, '--force', file)
  assert.deepEqual([forced.code, forced.errors], [0, ''])
  const anew = await startServer(t, { dataDirectory: target })
  assert.equal((await clientOf(t, anew).send('GET', `${COLLECTION}/goes-on`)).status, 404)
})

test('backup: rejects an incomplete and an empty one', async (t) => {
  const server = await startServer(t)
  await server.stop()
  const directory = await temporaryDirectory(t)
  const file = join(directory, 'cluster.bak')
  const made = await orrery('apiserver', 'backup', '--data', server.dataDirectory, file)
  assert.deepEqual([made.code, made.errors], [0, ''], 'no server is needed')
  const bytes = await readFile(file)
  const target = join(directory, 'restored')
  for (const damaged of [
    bytes.subarray(0, bytes.length - 100),
    Buffer.concat([bytes, bytes]),
    Buffer.from('hello\n'),
  ]) {
    await writeFile(file, damaged)
    const { code, errors } = await orrery('apiserver', 'restore', '--data', target, file)
    assert.equal(code, 1)
    assert.match(errors, /is not a usable backup/)
  }
  const missing = await orrery('apiserver', 'backup', '--data', join(directory, 'nowhere'), file)
  assert.equal(missing.code, 1)
  await assert.rejects(stat(join(directory, 'nowhere')), 'asking about a directory does not make it')
})

test('compact: ends old watches with 410 and, without a server, makes the file smaller', async (t) => {
  const server = await startServer(t)
  const client = clientOf(t, server)
  const first = await client.ok('POST', COLLECTION, { metadata: { name: 'big' } })
  for (let index = 0; index < 60; index++) {
    await client.ok('PATCH merge', `${COLLECTION}/big`, { data: { text: String(index % 10).repeat(60_000) } })
  }
  const running = await orrery('apiserver', 'compact', '--data', server.dataDirectory)
  assert.deepEqual([running.code, running.errors], [0, ''])
  await expectGone(t, server, revisionOf(first))
  const { revision } = await client.list(COLLECTION)
  await server.stop()

  const before = (await stat(dataFileOf(server.dataDirectory))).size
  const idle = await orrery('apiserver', 'compact', '--data', server.dataDirectory)
  assert.deepEqual([idle.code, idle.errors], [0, ''])
  const after = (await stat(dataFileOf(server.dataDirectory))).size
  assert.ok(after < before / 2, `${before} bytes became ${after}`)
  const again = await startServer(t, { dataDirectory: server.dataDirectory })
  const other = clientOf(t, again)
  assert.ok((await other.list(COLLECTION)).revision >= revision)
  const big = await other.ok('GET', `${COLLECTION}/big`)
  assert.equal((big.data as { text: string }).text.length, 60_000)
})

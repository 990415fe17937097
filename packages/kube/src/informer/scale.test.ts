// Runs in a process of its own: it measures memory.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expired } from '@orrery/kinds/values'
import { type ScriptedBody, scripted, settled, Thing, thing } from './scripted-server.fixture.js'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

function heapAfterCollection(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

function sendAll(stream: ScriptedBody, count: number): void {
  for (let from = 0; from < count; from += 100) {
    const part = Array.from({ length: Math.min(100, count - from) }, (_, index) => from + index)
    stream.send(...part.map((index) => ({ type: 'ADDED', object: thing(`n${index % 100}/t${index}`, index + 1) })))
  }
}

test('Informers: lists and indexes 50,000 objects, and lists them again without a change', async (t) => {
  const { informers, server, clock } = scripted(t, { freeze: false })
  const informer = informers.of(Thing)
  informer.addIndex('last digit', ({ metadata }) => [metadata.name.slice(-1)])
  let changes = 0
  informer.subscribe(() => {
    changes++
  })
  const first = (await server.next()).stream()
  sendAll(first, 50_000)
  first.initialEnd(60_000)
  await informer.whenSynced()
  assert.equal(informer.size, 50_000)
  assert.equal(informer.list('n7').length, 500)
  assert.equal(informer.byIndex('last digit', '3').length, 5_000)
  assert.equal(changes, 50_000)
  const before = heapAfterCollection()
  first.send({ type: 'ERROR', object: expired('too old').status })
  await settled()
  clock.advance(800)
  const second = (await server.next()).stream()
  sendAll(second, 50_000)
  second.initialEnd(70_000)
  while (informer.stats.fills < 2) await settled()
  assert.equal(changes, 50_000, 'nothing changed')
  const grown = heapAfterCollection() - before
  assert.ok(grown < 4 * 2 ** 20, `the second fill left ${grown} bytes`)
})

test('Informers: memory stays flat while objects, namespaces and index values come and go', async (t) => {
  const { informers, server } = scripted(t, { freeze: false })
  const informer = informers.of(Thing)
  informer.addIndex('version', ({ metadata }) => [metadata.resourceVersion])
  informer.subscribe(() => undefined)
  const stream = (await server.next()).stream()
  stream.initialEnd(1)
  await informer.whenSynced()
  let version = 1
  const churn = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const key = (index: number) => `n${version % 977}-${index}/t${index}`
      const events = []
      for (const index of Array(50).keys()) events.push({ type: 'ADDED', object: thing(key(index), ++version) })
      const gone = events.map(({ object }) => ({
        type: 'DELETED',
        object: { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } },
      }))
      stream.send(...events, ...gone)
      if (round % 50 === 49) await settled()
    }
    await settled()
    assert.equal(informer.size, 0)
  }
  await churn(200)
  const before = heapAfterCollection()
  await churn(800)
  const grown = heapAfterCollection() - before
  assert.ok(grown < 2 * 2 ** 20, `80,000 events left ${grown} bytes`)
})

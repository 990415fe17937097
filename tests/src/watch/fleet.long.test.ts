import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { Client } from '../support/client.js'
import { rounds } from '../support/length.js'
import { ResumingWatch } from '../support/resuming-watch.js'
import { type ServerProcess, startServer } from '../support/server.js'
import { http1Streams, http2Streams } from '../support/streams.js'
import { FleetWriter } from './fleet-writer.js'

/** Five hundred, with 2,000 watchers, take half a minute of CPU time: `ORRERY_WATCH_NAMESPACES=500`. */
const NAMESPACES = rounds('ORRERY_WATCH_NAMESPACES', { few: 50, many: 200 })
const WATCHERS_EACH = 4
const CONNECTIONS = 6
const WRITERS = 16
const WRITES_EACH = 6
/** What a server may use, without watchers and for each of them. */
const MEBIBYTES = { base: 250, each: 0.175 }
/** Thousands of writes and events, not only one. */
const LIMIT = { timeoutMilliseconds: 240_000 }

/** Every fourth watcher has its own TLS connection; the others share a few. */
function openWatches(
  server: ServerProcess,
  writers: readonly FleetWriter[],
  since: number,
  after: (f: () => void) => void,
) {
  const own = http1Streams(server)
  const shared = http2Streams(server, CONNECTIONS)
  after(() => own.close())
  after(() => shared.close())
  return writers.map(({ collection }) =>
    Array.from({ length: WATCHERS_EACH }, (_, index) => {
      const timeout = index === 1 ? `?timeoutSeconds=${randomInt(1, 4)}` : ''
      const watch = new ResumingWatch(`${collection}${timeout}`, since)
      watch.connect(index === 0 ? own : shared)
      after(() => watch.stop())
      return watch
    }),
  )
}

function namesOf(watch: ResumingWatch) {
  return watch.events.filter(({ object }) => object.metadata.name !== 'kube-root-ca.crt')
}

/** The same events as were written, in the same order, without duplicates. */
function checkWatch(watch: ResumingWatch, { collection, log }: FleetWriter): void {
  const events = namesOf(watch)
  const seen = events.map(({ type, object }) => [type, object.metadata.name, (object.data as { value: string }).value])
  assert.deepEqual(
    seen,
    log.map(({ type, name, value }) => [type, name, value]),
    collection,
  )
  let last = 0
  for (const [at, { revision }] of events.entries()) {
    assert.ok(revision > last)
    last = revision
    if (log[at]?.revision !== undefined) assert.equal(revision, log[at]?.revision)
  }
}

/** Milliseconds from a write's response to its event, for all writes with a response. */
function latencies(watches: readonly ResumingWatch[][], writers: readonly FleetWriter[]): number[] {
  const found = watches.flatMap((group, index) =>
    group.flatMap((watch) =>
      namesOf(watch).flatMap(({ time }, at) => {
        const written = writers[index]?.log[at]?.time
        return written === undefined ? [] : [time - written]
      }),
    ),
  )
  return found.sort((a, b) => a - b)
}

function residentMegabytes(pid: number | undefined): number {
  const match = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return Math.round(Number(match?.[1]) / 1024)
}

test('watch: watchers over many namespaces see all their events, in order and once, through every fault', async (t) => {
  let server = await startServer(t)
  const { dataDirectory } = server
  const client = new Client(server, WRITERS)
  t.after(() => client.close())
  const writers = Array.from({ length: NAMESPACES }, (_, index) => new FleetWriter(`fleet-${index}`))
  await Promise.all(
    writers.map((_, index) => client.ok('POST', '/api/v1/namespaces', { metadata: { name: `fleet-${index}` } })),
  )
  const { revision } = await client.list('/api/v1/namespaces')
  const watches = openWatches(server, writers, revision, (f) => t.after(f))
  const all = watches.flat()

  const total = NAMESPACES * WRITES_EACH
  let done = 0
  const write = async () => {
    while (done < total) await (writers[done++ % NAMESPACES] as FleetWriter).step(client)
  }
  const writing = Promise.all(Array.from({ length: WRITERS }, write))
  const reached = (share: number) => eventually(`${share} of the writes`, () => done >= share * total, LIMIT)
  const restart = async (signal: NodeJS.Signals) => {
    await server.stop(signal)
    const port = new URL(server.url).port
    server = await startServer(t, { dataDirectory, arguments: ['--port', port] })
  }
  await reached(0.25)
  for (const watch of all) if (randomInt(3) === 0) watch.interrupt()
  await reached(0.5)
  await restart('SIGTERM')
  await reached(0.75)
  await restart('SIGKILL')
  await writing

  const isThrough = (watch: ResumingWatch, writer: FleetWriter) => namesOf(watch).length >= writer.log.length
  await eventually(
    'every watcher has seen everything',
    () => watches.every((group, index) => group.every((watch) => isThrough(watch, writers[index] as FleetWriter))),
    LIMIT,
  )
  const memory = residentMegabytes(server.process.pid)
  for (const [index, group] of watches.entries()) {
    for (const watch of group) checkWatch(watch, writers[index] as FleetWriter)
  }
  assert.ok(memory < MEBIBYTES.base + MEBIBYTES.each * all.length, `${memory} MiB for ${all.length} watchers`)
  const spread = latencies(watches, writers)
  const events = all.reduce((sum, watch) => sum + watch.events.length, 0)
  const ends = all.reduce((sum, watch) => sum + watch.cleanEnds, 0)
  const cuts = all.reduce((sum, watch) => sum + watch.cuts, 0)
  t.diagnostic(
    `${all.length} watchers, ${events} events, ${ends} orderly ends, ${cuts} cuts, server at ${memory} MiB; ` +
      `median delay ${spread[spread.length >> 1]?.toFixed(1)} ms`,
  )
})

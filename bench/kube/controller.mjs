// Measures a controller against its limits: from the bytes of a watch to the end of its reconciles.
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { KubeClient } from '../../packages/kube/dist/client/client.js'
import { systemClock } from '../../packages/kube/dist/clock.js'
import { each } from '../../packages/kube/dist/controller/each.js'
import { startControllers } from '../../packages/kube/dist/controller/group.js'
import { WorkQueue } from '../../packages/kube/dist/controller/workqueue.js'
import { Informers } from '../../packages/kube/dist/informer/informers.js'
import { MetricRegistry } from '../../packages/kube/dist/metrics/registry.js'
import { describeResult, isMissed } from '../apiserver/report.mjs'
import { configMap, median } from './workload.mjs'

const EVENTS_PER_SECOND = 10_000
const OBJECTS = 10_000
const TICKS_PER_SECOND = 100
const ROUNDS = 5
const FIRST_VERSION = 100_000
const KEYS = 100_000
const ConfigMap = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

export async function measureController({ rounds = ROUNDS, seconds = 5 } = {}) {
  return [await measureSteady(seconds), await measureFlatOut(rounds), measureQueueMemory()]
}

/** The CPU share for this many events per second, from the watch to the metrics. */
async function measureSteady(seconds) {
  const ticks = seconds * TICKS_PER_SECOND
  const perTick = EVENTS_PER_SECOND / TICKS_PER_SECOND
  const chunks = Array.from({ length: ticks }, (_, tick) => encodeEvents(tick * perTick, perTick))
  const arrivals = new Map()
  const delays = []
  const run = await start((configMap) => {
    delays.push(performance.now() - arrivals.get(tickOf(configMap, perTick)))
  })
  collectGarbage()
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  for (let tick = 0; tick < ticks; tick++) {
    const wait = startedAt + (tick * 1000) / TICKS_PER_SECOND - performance.now()
    if (wait > 0) await sleep(wait)
    arrivals.set(tick, performance.now())
    run.send(chunks[tick])
  }
  await run.reconciled(seconds * EVENTS_PER_SECOND)
  const elapsed = performance.now() - startedAt
  const { user, system } = process.cpuUsage(cpu)
  await run.stop()
  delays.sort((a, b) => a - b)
  const at = (part) => delays[Math.floor((delays.length - 1) * part)].toFixed(1)
  return {
    name: `controller at ${EVENTS_PER_SECOND} events/s`,
    value: (user + system) / 1000 / elapsed,
    unit: 'cores',
    limit: 1,
    detail: `${delays.length} reconciles in ${(elapsed / 1000).toFixed(1)} s, p50 ${at(0.5)} ms and p99 ${at(0.99)} ms after their event`,
  }
}

/** The time for a backlog of events, compared with only parsing them. */
async function measureFlatOut(rounds) {
  const bytes = encodeEvents(0, OBJECTS)
  const lines = bytes.toString('utf8').trimEnd().split('\n')
  const ratios = []
  const times = []
  for (let round = 0; round < rounds; round++) {
    const run = await start(() => undefined)
    collectGarbage()
    const parseStart = performance.now()
    for (const line of lines) JSON.parse(line)
    const parse = performance.now() - parseStart
    collectGarbage()
    const startedAt = performance.now()
    run.send(bytes)
    await run.reconciled(OBJECTS)
    times.push(performance.now() - startedAt)
    ratios.push(times.at(-1) / parse)
    await run.stop()
  }
  const perSecond = (OBJECTS / median(times)) * 1000
  return {
    name: `controller with a backlog of ${OBJECTS} events`,
    value: median(ratios),
    unit: '×',
    limit: 5,
    detail: `of JSON.parse of the same events; ${perSecond.toFixed(0)} events/s`,
  }
}

/** The memory left after many keys were added, failed, delayed and done. */
function measureQueueMemory() {
  const queue = new WorkQueue({ clock: systemClock, onReady: () => undefined })
  const cycle = () => {
    for (let key = 0; key < KEYS; key++) queue.add(`namespace/${key}`, 'resync')
    const startedAt = performance.now()
    for (let work = queue.take(); work !== undefined; work = queue.take())
      queue.succeed(work.key, { afterMilliseconds: 60_000 })
    for (let key = 0; key < KEYS; key++) queue.add(`namespace/${key}`)
    for (let work = queue.take(); work !== undefined; work = queue.take()) queue.succeed(work.key)
    return (performance.now() - startedAt) / 2 / KEYS
  }
  cycle()
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const milliseconds = cycle()
  collectGarbage()
  const left = (process.memoryUsage().heapUsed - before) / 2 ** 20
  queue.close()
  const detail = `${(milliseconds * 1000).toFixed(2)} µs for a key to be added, taken and done`
  return { name: `queue after ${KEYS} keys, left in memory`, value: Math.max(0, left), unit: 'MiB', limit: 1, detail }
}

/** A controller with an informer, whose server is a stream that the benchmark writes. */
async function start(onReconcile) {
  const stream = new Stream()
  const client = new KubeClient({ request: ({ signal }) => Promise.resolve(stream.reply(signal)) })
  const informers = new Informers(client)
  const configMaps = informers.of(ConfigMap)
  let reconciles = 0
  const group = startControllers(
    [
      {
        name: 'bench',
        wakes: [each(configMaps)],
        async reconcile(ref) {
          const configMap = configMaps.get(ref)
          if (configMap.data.event === undefined) return
          await undefined
          reconciles++
          onReconcile(configMap)
        },
      },
    ],
    { client, metrics: new MetricRegistry() },
  )
  stream.push(encodeInitial())
  await group.whenRunning()
  while (group.health[0].ready > 0) await turn()
  return {
    send: (bytes) => stream.push(bytes),
    async reconciled(count) {
      while (reconciles < count) await turn()
    },
    async stop() {
      await group.stop()
      await informers.close()
    },
  }
}

/** The body of a watch. */
class Stream {
  #chunks = []
  #wake = () => undefined

  push(bytes) {
    this.#chunks.push(bytes)
    this.#wake()
  }

  reply(signal) {
    return { status: 200, headers: {}, body: this.#body(signal) }
  }

  async *#body(signal) {
    signal.addEventListener('abort', () => this.#wake())
    while (!signal.aborted) {
      const bytes = this.#chunks.shift()
      if (bytes !== undefined) yield bytes
      else {
        await new Promise((resolve) => {
          this.#wake = resolve
        })
      }
    }
  }
}

function encodeInitial() {
  const annotations = { 'k8s.io/initial-events-end': 'true' }
  const end = { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(FIRST_VERSION - 1), annotations } } }
  const events = Array.from({ length: OBJECTS }, (_, index) => ({ type: 'ADDED', object: configMap(index, index + 1) }))
  return encode([...events, end])
}

/** One event for each of some objects in turn. */
function encodeEvents(from, count) {
  return encode(
    Array.from({ length: count }, (_, index) => ({
      type: 'MODIFIED',
      object: configMap((from + index) % OBJECTS, FIRST_VERSION + from + index, {
        data: { event: String(from + index) },
      }),
    })),
  )
}

function tickOf(configMap, perTick) {
  return Math.floor(Number(configMap.data.event) / perTick)
}

function encode(events) {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = await measureController()
  for (const result of results) console.log(describeResult(result))
  process.exitCode = results.some(isMissed) ? 1 : 0
}

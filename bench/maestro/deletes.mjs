// How soon creates reach agents while many deletes run.
import { bundleOf, createRequest, deleteRequest, isDeletion, statusRequest, subscriptionOf } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { atRate, inFlight, percentiles } from './load.mjs'
import { withServers } from './sides.mjs'
import { DELETED, tinyManifests } from './workload.mjs'

const SOURCE = 'bench'
const DELETING = 'deleting'
const CREATING = 'creating'
const CREATES_PER_SECOND = 20
const PATIENCE_MILLISECONDS = 60_000
/** The server in Go needs minutes for more. */
const MOST_FOR_GO = 1_000

export async function measureDeletes({ names, deletes, report }) {
  const figures = new Map()
  for (const name of names) {
    const count = name === 'go' ? Math.min(deletes, MOST_FOR_GO) : deletes
    figures.set(name, await withServers([name], ([one]) => measure(one, count)))
  }
  const main = figures.get('orrery') ?? figures.get('go')
  const describe = ([name, { p50, p99, count, confirmed, seconds, creates }]) =>
    `${name} p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)} ms for ${creates} creates, ${confirmed} of ${count} deletes confirmed in ${seconds.toFixed(1)} s`
  const detail = [...figures].map(describe).join('; ')
  report({
    name: `creates delivered during ${main.count} deletes, p99`,
    value: main.p99,
    unit: 'ms',
    limit: 100,
    detail,
  })
}

async function measure({ server, createConsumer }, count) {
  for (const consumer of [DELETING, CREATING]) await createConsumer(consumer)
  const source = await GrpcConnection.open(server.sources)
  const [confirming, receiving] = await Promise.all([1, 2].map(() => GrpcConnection.open(server.agents.address)))
  const works = Array.from({ length: count }, (_, index) => createRequest(workOf(DELETING, index)))
  await inFlight(8, { count }, (index) => source.publish(works[index].bytes))
  const confirmed = new Set()
  await confirming.subscribe(subscriptionOf({ cluster: DELETING }), (event) => {
    const id = bundleOf(event)
    if (id === undefined || !isDeletion(event) || confirmed.has(id)) return
    confirmed.add(id)
    confirming.publish(statusRequest({ consumer: DELETING, id, status: DELETED })).catch(() => confirmed.delete(id))
  })
  const waiting = new Map()
  await receiving.subscribe(subscriptionOf({ cluster: CREATING }), (event) =>
    waiting.get(bundleOf(event))?.(performance.now()),
  )
  const figure = await createsDuring(source, waiting, works, () => confirmed.size >= count)
  for (const connection of [source, confirming, receiving]) connection.close()
  return { ...figure, count, confirmed: confirmed.size }
}

const workOf = (consumer, index) => {
  const name = `work-${index}`
  return { source: SOURCE, consumer, name, data: tinyManifests(name) }
}

/** Publishes all deletes, and creates until each delete is confirmed. */
async function createsDuring(source, waiting, works, isDone) {
  const latencies = []
  const all = []
  const acknowledged = []
  const start = performance.now()
  let index = 0
  const create = () => {
    const { id, bytes } = createRequest(workOf(CREATING, index++))
    const sent = performance.now()
    all.push(new Promise((resolve) => waiting.set(id, resolve)).then((at) => latencies.push(at - sent)))
    acknowledged.push(source.publish(bytes))
  }
  const deleting = inFlight(8, { count: works.length }, (at) =>
    source.publish(deleteRequest({ source: SOURCE, consumer: DELETING, id: works[at].id })),
  )
  const isOver = () => isDone() || performance.now() - start > PATIENCE_MILLISECONDS
  while (!isOver()) await atRate(CREATES_PER_SECOND, 1, create)
  const seconds = (performance.now() - start) / 1_000
  await Promise.all([deleting, ...acknowledged])
  await Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, PATIENCE_MILLISECONDS).unref())])
  const lost = Array.from({ length: all.length - latencies.length }, () => Number.POSITIVE_INFINITY)
  return { ...percentiles([...latencies, ...lost]), seconds, creates: all.length }
}

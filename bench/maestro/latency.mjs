// From the create of a work at the source, over the agent on an embedded cluster, to its status at the source.
import { agentOn } from './agent-process.mjs'
import { bundleOf, createRequest, subscriptionOf } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { atRate, percentiles } from './load.mjs'
import { withServers } from './sides.mjs'
import { tinyManifests } from './workload.mjs'

const SOURCE = 'bench'
const CONSUMER = 'edge'
const APPLIED = Buffer.from('"Applied"')
const WARM_UP = { rate: 5, seconds: 4 }
const LOADS = [
  { rate: 10, seconds: 20, limits: { p50: 15, p99: 40 } },
  { rate: 200, seconds: 15, limits: { p99: 500 } },
]
const PATIENCE_MILLISECONDS = 30_000

export async function measureLatency({ names, report }) {
  const figures = []
  // One after the other: two agents and two clusters would compete for the machine.
  for (const name of names) await withServers([name], async ([one]) => figures.push(...(await measure(one))))
  for (const { rate, limits } of LOADS) {
    const of = (name) => figures.find((figure) => figure.name === name && figure.rate === rate)
    const [main] = [of('orrery'), of('go')].filter((figure) => figure !== undefined)
    const detail = ['orrery', 'go']
      .map(of)
      .filter((figure) => figure !== undefined)
      .map(describe)
      .join('; ')
    for (const [share, limit] of Object.entries(limits)) {
      report({
        name: `create to status at the source, ${rate}/s, ${share}`,
        value: main[share],
        unit: 'ms',
        limit,
        detail,
      })
    }
  }
}

function describe({ name, p50, p99, longest, arrived, created }) {
  return `${name} p50 ${p50.toFixed(0)}, p99 ${p99.toFixed(0)}, longest ${longest.toFixed(0)} ms, ${arrived} of ${created} arrived`
}

async function measure(one) {
  await one.createConsumer(CONSUMER)
  await agentOn(one, CONSUMER)
  const source = await GrpcConnection.open(one.server.sources)
  const waiting = new Map()
  await source.subscribe(subscriptionOf({ source: SOURCE }), (event) => {
    const id = bundleOf(event)
    if (!event.includes(APPLIED)) return
    waiting.get(id)?.(performance.now())
    waiting.delete(id)
  })
  const figures = []
  for (const { rate, seconds } of [WARM_UP, ...LOADS])
    figures.push({ name: one.name, rate, ...(await load(source, waiting, rate, seconds)) })
  source.close()
  return figures.slice(1)
}

async function load(source, waiting, rate, seconds) {
  const latencies = []
  const all = []
  await atRate(rate, seconds, (index) => {
    const name = `work-${rate}-${index}`
    const { id, bytes } = createRequest({ source: SOURCE, consumer: CONSUMER, name, data: tinyManifests(name) })
    const sent = performance.now()
    all.push(new Promise((resolve) => waiting.set(id, resolve)).then((at) => latencies.push(at - sent)))
    source.publish(bytes).catch((error) => console.error(`${name}: ${error.message}`))
  })
  let timer
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MILLISECONDS)
  })
  await Promise.race([Promise.all(all), patience])
  clearTimeout(timer)
  waiting.clear()
  const lost = Array.from({ length: all.length - latencies.length }, () => Number.POSITIVE_INFINITY)
  return { ...percentiles([...latencies, ...lost]), arrived: latencies.length, created: all.length }
}

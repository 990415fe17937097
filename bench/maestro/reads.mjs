// Lists of many works and reads of single ones, by REST.
import { residentMebibytes } from '../work/processes.mjs'
import { besideGo, inRounds, ratioOf } from './compare.mjs'
import { createRequest } from './events.mjs'
import { GrpcConnection } from './grpc.mjs'
import { inFlight } from './load.mjs'
import { RestConnection } from './rest.mjs'
import { withServers } from './sides.mjs'
import { LARGE, manifestsOf, SMALL } from './workload.mjs'

const SOURCE = 'bench'
const CONSUMERS = 10
const LIST = '/api/maestro/v1/resource-bundles'
const PAGE = 100
const CONNECTIONS = 8

export function measureReads({ names, rounds, seconds, works, report }) {
  return withServers(names, async (servers) => {
    const ids = new Map()
    for (const one of servers) ids.set(one.name, await seed(one, works))
    const lists = new Map()
    for (const one of servers) lists.set(one.name, await measureLists(one, works))
    reportLists(lists, works, report)
    const figures = await inRounds(servers, rounds, async ({ name, server }) => {
      const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => RestConnection.open(server.rest)))
      const known = ids.get(name)
      const figure = await inFlight(CONNECTIONS, { seconds }, (index, lane) =>
        open[lane].get(`${LIST}/${known[index % known.length]}`),
      )
      for (const connection of open) connection.close()
      return figure
    })
    report(ratioOf(`GET by id, ${CONNECTIONS} connections`, figures, { times: 10, reference: 210 }))
  })
}

/** Half of the works are small, half are large, as in Maestro's own performance test. */
async function seed({ server, createConsumer }, works) {
  for (let index = 0; index < CONSUMERS; index++) await createConsumer(`reads-${index}`)
  const source = await GrpcConnection.open(server.sources)
  const ids = []
  await inFlight(8, { count: works }, async (index) => {
    const name = `work-${index}`
    const data = manifestsOf(name, index % 2 === 0 ? SMALL : LARGE)
    const { id, bytes } = createRequest({ source: SOURCE, consumer: `reads-${index % CONSUMERS}`, name, data })
    ids.push(id)
    await source.publish(bytes)
  })
  source.close()
  return ids
}

async function measureLists({ server }, works) {
  const { rest, program } = server
  const before = residentMebibytes(program.pid)
  let memory = before
  const watching = setInterval(() => {
    memory = Math.max(memory, residentMebibytes(program.pid))
  }, 20)
  const paged = await timed(rest, Math.ceil(works / PAGE), (page) => `${LIST}?size=${PAGE}&page=${page}`)
  const atOnce = await timed(rest, 1, () => `${LIST}?size=${works}`)
  clearInterval(watching)
  return { before, memory, paged: paged.seconds, atOnce: atOnce.seconds, megabytes: atOnce.bytes / 1_000_000 }
}

function reportLists(lists, works, report) {
  const line = (what, key, unit, limit) => {
    const { value, detail } = besideGo(lists, key, unit)
    report({ name: `${works} works ${what}`, value, unit, limit, detail })
  }
  const [{ megabytes }] = lists.values()
  const size = `${megabytes.toFixed(0)} MB of JSON`
  line(`(${size}) listed in pages of ${PAGE}`, 'paged', 's', 3)
  line(`(${size}) listed in one page`, 'atOnce', 's', 3)
  line('listed: memory of the server', 'memory', 'MiB', 512)
}

async function timed(rest, pages, pathOf) {
  const connection = await RestConnection.open(rest)
  const start = performance.now()
  let bytes = 0
  for (let page = 1; page <= pages; page++) bytes += await connection.get(pathOf(page))
  connection.close()
  return { bytes, seconds: (performance.now() - start) / 1_000 }
}

// The load generator: its own process, controlled over IPC. Every connection has one request in flight.
import { Connection, connectTls, requestBytes } from './connection.mjs'
import { configMap, numberedName } from './workload.mjs'

let created = 0

const KINDS = {
  /** A new ConfigMap for each request. */
  create: ({ path }) => requestBytes('POST', path, configMap(numberedName(created++))),
  /** The same path for each request. */
  get: ({ path }) => requestBytes('GET', path),
}

process.on('message', async (job) => {
  process.send(await run(job))
})

async function run({ target, kind, path, connections, milliseconds, requests = Number.POSITIVE_INFINITY }) {
  const make = KINDS[kind]
  const fixed = kind === 'get' ? make({ path }) : undefined
  const open = await Promise.all(Array.from({ length: connections }, () => connectTls(target)))
  const latencies = []
  let failed = 0
  let started = 0
  const begin = process.hrtime.bigint()
  const end = performance.now() + milliseconds
  await Promise.all(
    open.map((socket) => {
      const connection = new Connection(socket)
      return new Promise((resolve) => {
        const next = () => {
          if (performance.now() >= end || started >= requests) {
            connection.close()
            resolve()
            return
          }
          started++
          const sent = performance.now()
          connection.send(fixed ?? make({ path }), (status) => {
            latencies.push(performance.now() - sent)
            if (status >= 300) failed++
            next()
          })
        }
        next()
      })
    }),
  )
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9
  latencies.sort((a, b) => a - b)
  return {
    rate: latencies.length / seconds,
    count: latencies.length,
    failed,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.floor(latencies.length * 0.99)],
  }
}

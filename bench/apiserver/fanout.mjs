import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, connectTls, requestBytes } from './connection.mjs'
import { Helper, startOrrery, targetOf } from './processes.mjs'
import { COLLECTION, configMap } from './workload.mjs'

const WATCHERS = 1000
const PROCESSES = 2
const WARM_UP = 20
const PAUSE_MS = 10

/** The time from a write to the arrival of its event at each of many watchers. */
export async function measureFanOut({ directory, writes }) {
  const data = join(directory, 'orrery')
  const server = await startOrrery(data)
  const target = targetOf(server, join(data, 'pki'))
  const helpers = Array.from({ length: PROCESSES }, () => new Helper('watchers.mjs'))
  try {
    const open = { target, path: `${COLLECTION}?watch=true`, count: WATCHERS / PROCESSES }
    await Promise.all(helpers.map((helper) => helper.ask({ open })))
    const connection = new Connection(await connectTls(target))
    const sent = new Map()
    for (let write = 0; write < writes + WARM_UP; write++) {
      const complete = Promise.all(helpers.map((helper) => helper.next()))
      const request = requestBytes('POST', COLLECTION, configMap(`seen-${write}`))
      sent.set(write, Number(process.hrtime.bigint()))
      await Promise.all([connection.exchange(request), complete])
      await sleep(PAUSE_MS)
    }
    const collect = Array.from({ length: writes }, (_, index) => index + WARM_UP)
    const delays = []
    for (const helper of helpers) {
      const { moments } = await helper.ask({ collect })
      for (const [write, seen] of moments) for (const moment of seen) delays.push((moment - sent.get(write)) / 1e6)
    }
    connection.close()
    if (delays.length !== writes * WATCHERS) throw new Error(`${delays.length} events of ${writes * WATCHERS} arrived`)
    delays.sort((a, b) => a - b)
    const at = (part) => delays[Math.floor(delays.length * part)]
    return [
      {
        name: `a write seen by ${WATCHERS} watchers, p99`,
        value: at(0.99),
        unit: 'ms',
        limit: 50,
        detail: `p50 ${at(0.5).toFixed(1)} ms, longest ${delays.at(-1).toFixed(1)} ms, ${writes} writes`,
      },
    ]
  } finally {
    for (const helper of helpers) helper.stop()
    await server.stop()
  }
}

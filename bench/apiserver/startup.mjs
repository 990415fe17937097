import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Connection, connectTls, requestBytes } from './connection.mjs'
import { freePort, startOrrery, targetOf } from './processes.mjs'

const LIMIT_MS = 600

/**
 * The time from the start of the process to its first ready response and to its ready message: for new and existing
 * data.
 */
export async function measureStartUp({ directory, rounds }) {
  const fresh = []
  const existing = []
  for (let round = 0; round < rounds; round++) {
    const data = join(directory, `start-${round}`)
    fresh.push(await timeStart(data))
    existing.push(await timeStart(data))
  }
  return [describe('start to ready, new directory', fresh), describe('start to ready, existing directory', existing)]
}

async function timeStart(data) {
  const port = await freePort()
  const begin = performance.now()
  const starting = startOrrery(data, port)
  const answering = firstReadyAnswer(data, port).then(() => performance.now() - begin)
  const [server, answered] = await Promise.all([starting, answering])
  await server.stop()
  return { line: server.readyAfter, answered }
}

/** Polls `/readyz` until it is ready. */
async function firstReadyAnswer(data, port) {
  const pki = join(data, 'pki')
  for (;;) {
    if (existsSync(join(pki, 'admin.crt'))) {
      const status = await ask(targetOf({ port }, pki)).catch(() => undefined)
      if (status === 200) return
    }
    await sleep(5)
  }
}

async function ask(target) {
  const connection = new Connection(await connectTls(target))
  const status = await connection.exchange(requestBytes('GET', '/readyz'))
  connection.close()
  return status
}

function describe(name, runs) {
  const median = (field) => runs.map((run) => run[field]).sort((a, b) => a - b)[Math.floor(runs.length / 2)]
  const slower = Math.max(median('line'), median('answered'))
  return {
    name,
    value: slower,
    unit: 'ms',
    limit: LIMIT_MS,
    detail: `/readyz after ${median('answered').toFixed(0)} ms, ready line after ${median('line').toFixed(0)} ms`,
  }
}

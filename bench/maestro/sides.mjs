// The servers to measure: Orrery's, and the one in Go if it is built. Each has a PostgreSQL of its own with its default
// settings, so that a write is acknowledged when it is on the disk.
import { readdirSync, readFileSync } from 'node:fs'
import { whySkipped } from '../../tests/dist/interop/maestro/programs.js'
import { createConsumer, startGoMaestro, startOrreryMaestro } from '../../tests/dist/interop/maestro/servers.js'
import { startPostgres } from '../../tests/dist/support/postgres.js'
import { cpuMilliseconds } from '../work/processes.mjs'

const SETTINGS = ['max_connections=200']

/** Runs with the servers, and stops them. */
export async function withServers(names, run) {
  const steps = []
  const scope = { after: (step) => steps.push(step) }
  try {
    const servers = []
    for (const name of names) {
      const start = name === 'go' ? startGoMaestro : startOrreryMaestro
      servers.push({ name, scope, ...(await started(scope, start)) })
    }
    return await run(servers)
  } finally {
    for (const step of steps.reverse()) await step()
  }
}

async function started(scope, start) {
  const postgres = await startPostgres(scope, SETTINGS)
  const server = await start(scope, { postgres })
  return {
    server,
    postgres,
    createConsumer: (name) => createConsumer(server, name),
    /** The CPU time of the server and of its PostgreSQL so far. */
    cpu: () => ({ server: cpuMilliseconds(server.program.pid), postgres: treeCpuMilliseconds(postgres.pid) }),
  }
}

/** The CPU time of a process and its children. Linux only. */
function treeCpuMilliseconds(pid) {
  const fieldsOf = (one) => readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1].split(' ')
  const isChild = (one) => {
    try {
      return Number(fieldsOf(one)[1]) === pid
    } catch {
      return false
    }
  }
  const children = readdirSync('/proc').filter((one) => /^\d+$/.test(one) && isChild(one))
  const [ended, endedInKernel] = fieldsOf(pid).slice(13, 15).map(Number)
  const running = [pid, ...children].map((one) => {
    try {
      return cpuMilliseconds(one)
    } catch {
      return 0
    }
  })
  return running.reduce((sum, one) => sum + one, (ended + endedInKernel) * 10)
}

/** The names of the servers of this run. */
export function serverNames(wanted) {
  const built = whySkipped() === false ? ['orrery', 'go'] : ['orrery']
  return wanted === undefined ? built : built.filter((name) => wanted.includes(name))
}

// Measures the OVIM hub service with many simulated agents. See ../README.md.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Secret } from '../../packages/kinds/dist/index.js'
import { clientFrom, Informers } from '../../packages/kube/dist/index.js'
import { silentLogger } from '../../packages/kube/dist/log.js'
import { Operation, Organization, VirtualDataCenter, VirtualMachineRequest } from '../../packages/ovim/dist/index.js'
import { freePort } from '../apiserver/processes.mjs'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { startProcess } from '../fleet/simulators.mjs'
import { cpuMilliseconds, fileIn, residentMebibytes, startPart, until } from '../work/processes.mjs'
import { createIdentities, createOrganizations, createVdcs, inParallel, organizationOf, zoneName } from './seed.mjs'

const { values: options } = parseArgs({
  options: {
    agents: { type: 'string', default: '500' },
    vms: { type: 'string', default: '100' },
    samples: { type: 'string', default: '500' },
    heartbeat: { type: 'string', default: '30' },
    process: { type: 'string', default: '250' },
    dir: { type: 'string', default: tmpdir() },
  },
})
const AGENTS = Number(options.agents)
const VMS = Number(options.vms)
const MACHINES = AGENTS * VMS
const HEARTBEAT = Number(options.heartbeat)
const SIMULATOR = new URL('simulator.mjs', import.meta.url).pathname
const CREATES_IN_FLIGHT = 16
const STALLED_SECONDS = 120
/** Between two operations of the latency measure. */
const PAUSE_MILLISECONDS = 20
/** Operations before the latency counts. */
const WARM_UP = 50

const directory = mkdtempSync(join(options.dir, 'orrery-bench-'))
const parts = []
const simulators = []
const results = []
let client
try {
  await measure()
  console.log(table(results))
  process.exitCode = results.some(isMissed) ? 1 : 0
} finally {
  client?.close()
  await Promise.all(simulators.map((simulator) => simulator.stop()))
  for (const part of parts.reverse()) await part.stop()
  rmSync(directory, { recursive: true, force: true })
}

function report(result) {
  console.error(describeResult(result))
  results.push(result)
}

async function measure() {
  const files = fileIn(directory, 'hub', 'kubeconfig')
  const apiServer = await startPart(parts, ['hub', '--data', join(directory, 'hub')], files.isThere)
  client = await clientFrom(files.file)
  const service = await startService(files.file)
  const hub = { apiServer, service }
  const informers = new Informers(client, { log: silentLogger })
  await startAgents(informers)
  console.error(`${AGENTS} agents are registered`)
  await measureLatency()
  await measureOperations(hub, informers)
  await measureReports(hub)
  await informers.close()
}

/** The hub service as users start it, a process of its own. */
async function startService(kubeconfig) {
  const port = await freePort()
  const server = `https://127.0.0.1:${port}`
  const args = ['ovim', 'hub', '--kubeconfig', kubeconfig, '--bind-address', '127.0.0.1', '--port', `${port}`]
  const service = await startPart(parts, args, () => isServed(`${server}/readyz`))
  const { data } = await client.get(Secret, { namespace: 'ovim-system', name: 'ovim-hub-serving' })
  const ca = Buffer.from(data['ca.crt'], 'base64').toString()
  writeFileSync(join(directory, 'service.json'), JSON.stringify({ server, ca }))
  return service
}

function isServed(url) {
  return new Promise((resolve) => {
    const outgoing = request(url, { rejectUnauthorized: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    outgoing.on('error', () => resolve(false))
    outgoing.end()
  })
}

/** Agents with a zone and a virtual data center each. */
async function startAgents(informers) {
  const identities = await createIdentities(client, AGENTS)
  await createOrganizations(client, AGENTS)
  const perProcess = Math.min(Number(options.process), AGENTS)
  for (let first = 0; first < AGENTS; first += perProcess) {
    const simulator = await startProcess(SIMULATOR, [join(directory, 'service.json'), `${HEARTBEAT}`])
    simulators.push(simulator)
    await simulator.ask('start', { identities: identities.slice(first, first + perProcess) })
  }
  const [organizations, vdcs] = [informers.of(Organization), informers.of(VirtualDataCenter)]
  await Promise.all([organizations.whenSynced(), vdcs.whenSynced()])
  const isActive = ({ status }) => status?.phase === 'Active'
  await until(() => organizations.list().every(isActive), 'all organizations are active')
  await createVdcs(client, AGENTS)
  await until(() => vdcs.list().filter(isActive).length === AGENTS, 'all virtual data centers are active', 600)
}

/** From the request that creates an operation until its waiting agent has it. */
async function measureLatency() {
  const count = Number(options.samples)
  const created = []
  for (let index = 0; index < WARM_UP + count; index++) {
    const zone = zoneName(index % AGENTS)
    const metadata = { namespace: `org-${organizationOf(index % AGENTS)}`, generateName: 'latency-' }
    // Operations of one target wait for each other.
    const target = { kind: 'Zone', name: `${zone}-${index}` }
    const at = Date.now()
    const { metadata: written } = await client.create(Operation, {
      metadata,
      spec: { type: 'ConfigUpdate', zone, target, payload: {} },
    })
    created.push({ id: written.uid, at })
    await sleep(PAUSE_MILLISECONDS)
  }
  let received = {}
  const haveAll = async () => {
    received = Object.assign({}, ...(await askAll('received')))
    return created.every(({ id }) => received[id] !== undefined)
  }
  await until(haveAll, 'all operations have arrived')
  const times = created
    .slice(WARM_UP)
    .map(({ id, at }) => received[id] - at)
    .sort((a, b) => a - b)
  const detail = `p50 ${quantile(times, 0.5)} ms, longest ${times.at(-1)} ms; ${count} operations, ${AGENTS} agents wait`
  report({
    name: 'an operation reaches a waiting agent, p99',
    value: quantile(times, 0.99),
    unit: 'ms',
    limit: 100,
    detail,
  })
}

/** One operation for each virtual machine: from its request until an agent has reported it as running. */
async function measureOperations({ apiServer, service }, informers) {
  const before = await counts()
  const busy = [service.pid, apiServer.pid].map(cpuMilliseconds)
  const requests = informers.of(VirtualMachineRequest)
  await requests.whenSynced()
  const running = new Set()
  let lastAt = performance.now()
  const stop = requests.subscribe(({ after }) => {
    if (after?.status?.phase !== 'running' || after.status.created !== true) return
    running.add(after.metadata.uid)
    lastAt = performance.now()
  })
  const start = performance.now()
  await inParallel(MACHINES, (index) => createMachine(index), CREATES_IN_FLIGHT)
  const created = ((performance.now() - start) / 1_000).toFixed(1)
  while (running.size < MACHINES && performance.now() - lastAt < STALLED_SECONDS * 1_000) await sleep(100)
  stop()
  const seconds = (lastAt - start) / 1_000
  const [own, other] = cpuSince([service.pid, apiServer.pid], busy)
  const after = await counts()
  const rate = (running.size / seconds).toFixed(0)
  const detail = `${MACHINES} virtual machines requested in ${created} s, running after ${seconds.toFixed(1)} s, ${rate}/s; CPU time of the service ${own} s, of the API server ${other} s`
  report({ name: 'operations lost', value: MACHINES - running.size, unit: 'operations', limit: 0, detail })
  const extra = after.executed - before.executed - MACHINES
  const repeated = `${after.repeated} delivered more than once`
  report({ name: 'operations queued twice', value: Math.max(0, extra), unit: 'operations', limit: 0, detail: repeated })
}

function createMachine(index) {
  const zone = index % AGENTS
  return client.create(VirtualMachineRequest, {
    metadata: { namespace: `org-${organizationOf(zone)}`, name: `vm-${index}` },
    spec: { vdc: zoneName(zone), template: 'small' },
  })
}

/** The load of heartbeats while nothing changes. */
async function measureReports({ apiServer, service }) {
  await sleep(HEARTBEAT * 1_000)
  await askAll('reportMilliseconds')
  const before = await counts()
  const busy = [service.pid, apiServer.pid].map(cpuMilliseconds)
  const start = performance.now()
  await sleep(2 * HEARTBEAT * 1_000)
  const seconds = (performance.now() - start) / 1_000
  const [own, other] = cpuSince([service.pid, apiServer.pid], busy)
  const after = await counts()
  const times = (await askAll('reportMilliseconds')).flat().sort((a, b) => a - b)
  const reports = after.reports - before.reports
  const detail = `${reports} reports in ${seconds.toFixed(0)} s, p50 ${quantile(times, 0.5).toFixed(0)} ms; API server ${(other / seconds).toFixed(2)} cores`
  const name = `${AGENTS} agents × ${VMS} virtual machines, each ${HEARTBEAT} s`
  report({ name, value: own / seconds, unit: 'cores', limit: 1, detail })
  const failed = `${after.failures - before.failures} failed`
  report({ name: 'slowest report', value: (times.at(-1) ?? 0) / 1_000, unit: 's', limit: HEARTBEAT, detail: failed })
  const missing = Math.max(0, 2 * AGENTS - AGENTS * 0.05 - reports)
  report({ name: 'reports missing', value: missing, unit: 'reports', limit: 0, detail: `of ${2 * AGENTS}` })
  report({
    name: 'memory of the service',
    value: residentMebibytes(service.pid),
    unit: 'MiB',
    limit: 1_024,
    detail: '',
  })
}

async function counts() {
  const all = await askAll('count')
  const fields = ['executed', 'repeated', 'reports', 'failures']
  return Object.fromEntries(fields.map((field) => [field, all.reduce((sum, count) => sum + count[field], 0)]))
}

function askAll(action) {
  return Promise.all(simulators.map((simulator) => simulator.ask(action)))
}

/** Seconds of CPU time since then. */
function cpuSince(pids, before) {
  return pids.map((pid, at) => Number(((cpuMilliseconds(pid) - before[at]) / 1_000).toFixed(1)))
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

// Measures an embedded hub with a large fleet of simulated clusters. See ../README.md.
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  ManagedCluster,
  ManagedClusterSetBinding,
  ManifestWorkReplicaSet,
  Placement,
} from '../../packages/api/dist/index.js'
import { Namespace } from '../../packages/kinds/dist/kinds/core.generated.js'
import { isConditionTrue } from '../../packages/kinds/dist/values/conditions.js'
import { clientFrom } from '../../packages/kube/dist/index.js'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { cpuMilliseconds, fileIn, residentMebibytes, startPart, until } from '../work/processes.mjs'
import { startSimulator, writeHubFile } from './simulators.mjs'

const { values: options } = parseArgs({
  options: {
    clusters: { type: 'string', default: '10000' },
    process: { type: 'string', default: '1000' },
    parallel: { type: 'string', default: '16' },
    lease: { type: 'string', default: '60' },
    only: { type: 'string', default: 'steady,rollout,restart,loss' },
    dir: { type: 'string', default: tmpdir() },
  },
})
const MEASURES = { steady: measureSteadyState, rollout: measureRollout, restart: measureRestart, loss: measureLoss }
const PHASES = options.only.split(',').filter((phase) => phase !== '')
const unknown = PHASES.find((phase) => !(phase in MEASURES))
if (unknown !== undefined) throw new Error(`--only: ${unknown} is not one of ${Object.keys(MEASURES).join(', ')}`)
const CLUSTERS = Number(options.clusters)
const PER_PROCESS = Math.min(Number(options.process), CLUSTERS)
const LEASE_SECONDS = Number(options.lease)
const AVAILABLE = 'ManagedClusterConditionAvailable'
const NAMESPACE = 'bench'
const ALL = { namespace: NAMESPACE, name: 'all' }
/** The hub waits for five lease durations before it reports a cluster as unavailable. */
const GRACE_LEASES = 5

const directory = mkdtempSync(join(options.dir, 'orrery-bench-'))
const hubFiles = fileIn(directory, 'hub', 'kubeconfig')
const bootstrap = fileIn(directory, 'hub', 'bootstrap-kubeconfig')
// The agents find a restarted hub at the same address.
const hubArgs = ['hub', '--data', join(directory, 'hub'), '--auto-approve', '--port', `${await freePort()}`]
const parts = []
const simulators = []
const results = []
let hub
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
  hub = await startPart(parts, hubArgs, () => hubFiles.isThere() && bootstrap.isThere())
  client = await clientFrom(hubFiles.file)
  await measureJoin()
  await settled()
  report({ name: 'memory of the hub', value: residentMebibytes(hub.pid), unit: 'MiB', limit: 1_536, detail: '' })
  for (const phase of PHASES) await MEASURES[phase]()
}

async function measureJoin() {
  const hubFile = await writeHubFile(bootstrap.file, directory)
  const costs = []
  const start = performance.now()
  for (let first = 0; first < CLUSTERS; first += PER_PROCESS) {
    const simulator = await startSimulator(hubFile, LEASE_SECONDS)
    simulators.push(simulator)
    const before = cpuMilliseconds(hub.pid)
    const blockStart = performance.now()
    const names = Array.from({ length: Math.min(PER_PROCESS, CLUSTERS - first) }, (_, index) => nameOf(first + index))
    await simulator.ask('join', { names, parallel: Number(options.parallel) })
    const cpu = (cpuMilliseconds(hub.pid) - before) / 1_000
    costs.push(cpu)
    const seconds = ((performance.now() - blockStart) / 1_000).toFixed(1)
    const memory = residentMebibytes(hub.pid).toFixed(0)
    console.error(
      `${first + names.length} clusters: ${cpu.toFixed(1)} s of the hub's CPU time, ${seconds} s, ${memory} MiB`,
    )
  }
  const detail = `${((performance.now() - start) / 1_000).toFixed(0)} s of time; in blocks of ${PER_PROCESS}: ${costs.map((cost) => cost.toFixed(0)).join(', ')} s`
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  report({ name: `CPU time for ${CLUSTERS} clusters to join`, value: total, unit: 's', limit: 250, detail })
  report({
    name: 'last block compared with the first',
    value: costs.at(-1) / costs[0],
    unit: '×',
    limit: 1.5,
    detail: '',
  })
}

async function measureSteadyState() {
  const seconds = LEASE_SECONDS
  const before = cpuMilliseconds(hub.pid)
  await sleep(seconds * 1_000)
  const share = (cpuMilliseconds(hub.pid) - before) / 1_000 / seconds
  const detail = `CPU time in ${seconds} s, with a lease of ${LEASE_SECONDS} s for each cluster`
  report({ name: 'steady state', value: share, unit: 'cores', limit: 0.15, detail })
}

async function measureRollout() {
  await client.create(Namespace, { metadata: { name: NAMESPACE } })
  await client.create(ManagedClusterSetBinding, {
    metadata: { namespace: NAMESPACE, name: 'global' },
    spec: { clusterSet: 'global' },
  })
  await client.create(Placement, { metadata: ALL, spec: {} })
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name: 'bench' },
    data: { text: 'x'.repeat(1_024) },
  }
  const before = cpuMilliseconds(hub.pid)
  const start = performance.now()
  await client.create(ManifestWorkReplicaSet, {
    metadata: ALL,
    spec: { placementRefs: [{ name: ALL.name }], manifestWorkTemplate: { workload: { manifests: [manifest] } } },
  })
  let reported = 0
  const isRolledOut = async () => {
    const { status } = await client.get(ManifestWorkReplicaSet, ALL)
    if (reported === 0 && (await total('worksReported')) >= CLUSTERS) reported = performance.now()
    await sleep(200)
    return status?.summary?.applied === CLUSTERS && status.summary.available === CLUSTERS
  }
  await until(isRolledOut, 'the replica set is available on all clusters', 600)
  const seconds = (performance.now() - start) / 1_000
  const cpu = ((cpuMilliseconds(hub.pid) - before) / 1_000).toFixed(1)
  const detail = `CPU time of the hub ${cpu} s; all agents had reported after ${((reported - start) / 1_000).toFixed(1)} s; ${residentMebibytes(hub.pid).toFixed(0)} MiB`
  report({ name: `a replica set on ${CLUSTERS} clusters`, value: seconds, unit: 's', limit: 60, detail })
}

/** From the end of the hub's process until every agent is connected, watches and has renewed its lease again. */
async function measureRestart() {
  await settled()
  await parts.pop().stop()
  const start = performance.now()
  hub = await startPart(parts, hubArgs, async () => client.get(Namespace, { name: 'default' }).catch(() => false))
  const started = ((performance.now() - start) / 1_000).toFixed(1)
  const isServed = async () => {
    await sleep(100)
    return (await total('served')) === CLUSTERS
  }
  await until(isServed, 'all agents are served again', 600)
  const seconds = (performance.now() - start) / 1_000
  const cpu = (cpuMilliseconds(hub.pid) / 1_000).toFixed(1)
  const detail = `the API server answered after ${started} s; CPU time ${cpu} s; ${residentMebibytes(hub.pid).toFixed(0)} MiB`
  report({ name: 'agents served again after a restart', value: seconds, unit: 's', limit: 60, detail })
  await settled()
  const unavailable = await countUnavailable()
  report({ name: 'clusters wrongly unavailable', value: unavailable, unit: 'clusters', limit: 0, detail: '' })
}

/** A tenth of the clusters lose their power. */
async function measureLoss() {
  const lost = Math.max(1, Math.floor(CLUSTERS / 10))
  const perSimulator = Math.ceil(lost / simulators.length)
  const names = simulators.map((_, at) =>
    Array.from({ length: perSimulator }, (_, index) => nameOf(at * PER_PROCESS + index)),
  )
  const count = names.flat().length
  const before = cpuMilliseconds(hub.pid)
  const start = performance.now()
  await Promise.all(simulators.map((simulator, at) => simulator.ask('stop', { names: names[at] })))
  const limit = LEASE_SECONDS * (GRACE_LEASES + 1.5)
  const allSeen = async () => {
    await sleep(1_000)
    return (await countUnavailable()) >= count
  }
  await until(allSeen, 'the lost clusters are unavailable', limit + 60)
  const seconds = (performance.now() - start) / 1_000
  const share = ((cpuMilliseconds(hub.pid) - before) / 1_000 / seconds).toFixed(2)
  const others = (await countUnavailable()) - count
  const detail = `${count} clusters, ${others} others unavailable; the hub used ${share} cores meanwhile`
  report({ name: 'lost clusters reported as unavailable', value: seconds, unit: 's', limit, detail })
  const resumed = performance.now()
  await Promise.all(simulators.map((simulator, at) => simulator.ask('resume', { names: names[at] })))
  await until(async () => (await countUnavailable()) === 0, 'the clusters are available again', 300)
  const back = (performance.now() - resumed) / 1_000
  report({ name: 'and available again', value: back, unit: 's', limit: 60, detail: 'after their agents returned' })
}

async function countUnavailable() {
  let count = 0
  for await (const { items } of client.pages(ManagedCluster)) {
    count += items.filter(({ status }) => !isConditionTrue(status?.conditions, AVAILABLE)).length
  }
  return count
}

async function total(field) {
  const counts = await Promise.all(simulators.map((simulator) => simulator.ask('count')))
  return counts.reduce((sum, count) => sum + count[field], 0)
}

/** Waits until the hub does little besides leases. */
async function settled() {
  for (let quiet = 0; quiet < 2; ) {
    const before = cpuMilliseconds(hub.pid)
    await sleep(2_000)
    quiet = cpuMilliseconds(hub.pid) - before < 700 ? quiet + 1 : 0
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

function nameOf(index) {
  return `cluster-${index}`
}

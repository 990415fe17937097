// Measures placements on an embedded hub in a process of its own, over TLS. See ../README.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagedCluster, Placement, PlacementDecision } from '../../packages/api/dist/index.js'
import { clientFrom, Informers } from '../../packages/kube/dist/index.js'
import { silentLogger } from '../../packages/kube/dist/log.js'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { cpuMilliseconds, fileIn, residentMebibytes, startPart } from '../work/processes.mjs'
import { createAll, placementOf, seed } from './fleet.mjs'

const SELECTED = 10
const CHANGES = 100
const QUIET_MILLISECONDS = 1_000
const QUIET_BETWEEN_CHANGES_MILLISECONDS = 300
/** A placement writes scores that changed alone once a minute: `scoreRateLimit`. */
const SCORE_RATE_LIMIT_MILLISECONDS = 61_000
const REST_MILLISECONDS = 5_000
const IDLE_MILLISECONDS = 1_000

/** Limits in seconds, and the memory of the hub in MiB. */
const SCENARIOS = [
  { clusters: 1_000, placements: 1_000, limit: 4, label: 150, rest: true },
  { clusters: 1_000, placements: 10_000, limit: 40 },
  { clusters: 10_000, placements: 1_000, limit: 20, memory: 1_024 },
]

const only = process.argv[2]?.split(',').map(Number)
const results = []
for (const [index, scenario] of SCENARIOS.entries()) {
  if (only !== undefined && !only.includes(index)) continue
  await measure(scenario, (result) => {
    console.error(describeResult(result))
    results.push(result)
  })
}
console.log(table(results))
process.exitCode = results.some(isMissed) ? 1 : 0

async function measure(scenario, report) {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-bench-'))
  const parts = []
  try {
    const files = fileIn(directory, 'hub', 'kubeconfig')
    const hub = await startPart(parts, ['hub', '--data', join(directory, 'hub')], files.isThere)
    const client = await clientFrom(files.file)
    await seed(client, scenario.clusters)
    await idle(hub)
    const informers = new Informers(client, { log: silentLogger })
    await measurePlacements({ client, informers, hub, report }, scenario)
    await informers.close()
    client.close()
  } finally {
    for (const part of parts.reverse()) await part.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function measurePlacements({ client, informers, hub, report }, scenario) {
  const { clusters, placements, limit } = scenario
  const writes = await watchWrites(informers)
  const busy = cpuMilliseconds(hub.pid)
  const start = performance.now()
  const decided = whenDecided(informers, placements)
  await createAll(placements, (index) => client.create(Placement, placementOf(index, SELECTED)))
  const created = (performance.now() - start) / 1_000
  const seconds = ((await decided) - start) / 1_000
  const cpu = (cpuMilliseconds(hub.pid) - busy) / 1_000
  await writes.quiet()
  const settled = (writes.lastAt - start) / 1_000
  const name = `${placements} placements over ${clusters} clusters`
  const detail = `created in ${created.toFixed(1)} s, CPU time of the hub ${cpu.toFixed(1)} s; settled after ${settled.toFixed(1)} s with ${writes.count} writes`
  report({ name: `${name} decided`, value: seconds, unit: 's', limit, detail })
  if (scenario.memory !== undefined) {
    const value = residentMebibytes(hub.pid)
    report({ name: `memory of the hub, ${name}`, value, unit: 'MiB', limit: scenario.memory, detail: '' })
  }
  if (scenario.label !== undefined) report(await measureLabel(client, informers, writes, scenario))
  if (scenario.rest === true) report(await measureRest(hub, writes))
}

/** Waits until the hub has processed the clusters. */
async function idle(hub) {
  for (let busy = IDLE_MILLISECONDS; busy > IDLE_MILLISECONDS / 10; ) {
    const before = cpuMilliseconds(hub.pid)
    await sleep(IDLE_MILLISECONDS)
    busy = cpuMilliseconds(hub.pid) - before
  }
}

/** Counts the writes of placements and decisions. */
async function watchWrites(informers) {
  const writes = {
    count: 0,
    lastAt: 0,
    async quiet(milliseconds = QUIET_MILLISECONDS) {
      const start = performance.now()
      while (performance.now() - Math.max(start, this.lastAt) < milliseconds) await sleep(20)
    },
  }
  for (const kind of [Placement, PlacementDecision]) {
    const informer = informers.of(kind)
    await informer.whenSynced()
    informer.subscribe(() => {
      writes.count++
      writes.lastAt = performance.now()
    })
  }
  return writes
}

/** Resolves with the time when all placements have their clusters. */
function whenDecided(informers, placements) {
  const done = new Set()
  return new Promise((resolve) => {
    informers.of(Placement).subscribe(({ after }) => {
      if (after?.status?.numberOfSelectedClusters !== SELECTED) return
      done.add(after.metadata.name)
      if (done.size === placements) resolve(performance.now())
    })
  })
}

/** From the change of a label of a cluster until no placement selects the cluster any more. */
async function measureLabel(client, informers, writes, { label, placements }) {
  const decisions = informers.of(PlacementDecision)
  const selecting = new Map()
  const waiting = new Map()
  decisions.subscribe(({ before, after }) => {
    for (const { clusterName } of before?.status?.decisions ?? []) {
      selecting.set(clusterName, (selecting.get(clusterName) ?? 0) - 1)
    }
    for (const { clusterName } of after?.status?.decisions ?? []) {
      selecting.set(clusterName, (selecting.get(clusterName) ?? 0) + 1)
    }
    for (const [cluster, resolve] of waiting) if (selecting.get(cluster) === 0) resolve(performance.now())
  })
  const latencies = []
  let moved = 0
  for (let change = 0; change < CHANGES; change++) {
    const [name, count] = [...selecting].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1))[
      change * 3
    ]
    moved += count
    const gone = new Promise((resolve) => waiting.set(name, resolve))
    const start = performance.now()
    await client.patch(ManagedCluster, { name }, { metadata: { labels: { pool: 'drained' } } })
    latencies.push((await gone) - start)
    waiting.delete(name)
    await writes.quiet(QUIET_BETWEEN_CHANGES_MILLISECONDS)
    await client.patch(ManagedCluster, { name }, { metadata: { labels: { pool: 'apps' } } })
    await writes.quiet(QUIET_BETWEEN_CHANGES_MILLISECONDS)
  }
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  const each = (moved / CHANGES).toFixed(0)
  const detail = `p50 ${at(0.5).toFixed(0)} ms, longest ${latencies.at(-1).toFixed(0)} ms; ${CHANGES} changes, each moves ${each} of ${placements} placements`
  return { name: "a cluster's label change re-decided, p99", value: at(0.99), unit: 'ms', limit: label, detail }
}

/** The writes while nothing changes. */
async function measureRest(hub, writes) {
  await writes.quiet(SCORE_RATE_LIMIT_MILLISECONDS)
  const before = writes.count
  const busy = cpuMilliseconds(hub.pid)
  await sleep(REST_MILLISECONDS)
  const share = ((cpuMilliseconds(hub.pid) - busy) / REST_MILLISECONDS) * 100
  const detail = `placements and decisions written in 5 s; the hub used ${share.toFixed(1)} % of a core`
  return { name: 'writes at rest', value: writes.count - before, unit: 'objects', limit: 0, detail }
}

// Measures add-ons on an embedded hub in a process of its own, over TLS. This process has the controllers of the add-ons and simulates
// the agents of all clusters. See ../README.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AddonManager } from '../../packages/addon/dist/index.js'
import {
  ClusterManagementAddOn,
  ManagedCluster,
  ManagedClusterAddOn,
  ManifestWork,
} from '../../packages/api/dist/index.js'
import { findCondition, isConditionTrue } from '../../packages/kinds/dist/values/conditions.js'
import { clientFrom, Informers } from '../../packages/kube/dist/index.js'
import { silentLogger } from '../../packages/kube/dist/log.js'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { cpuMilliseconds, fileIn, residentMebibytes, startPart } from '../work/processes.mjs'
import { addonName, addonOf, configure, define, seed, startAgents } from './fleet.mjs'

const [CLUSTERS = 1_000, ADDONS = 5] = process.argv.slice(2).map(Number)
const QUIET_MILLISECONDS = 2_000
const REST_MILLISECONDS = 10_000

const directory = mkdtempSync(join(tmpdir(), 'orrery-bench-'))
const parts = []
try {
  const results = await measure()
  console.log(table(results))
  process.exitCode = results.some(isMissed) ? 1 : 0
} finally {
  for (const part of parts.reverse()) await part.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function measure() {
  const files = fileIn(directory, 'hub', 'kubeconfig')
  const hub = await startPart(parts, ['hub', '--data', join(directory, 'hub')], files.isThere)
  const client = await clientFrom(files.file)
  await seed(client, CLUSTERS)
  await idle(hub)
  const informers = new Informers(client, { log: silentLogger })
  const addons = Array.from({ length: ADDONS }, (_, index) => addonOf(index))
  const manager = new AddonManager({ client, log: silentLogger })
  for (const addon of addons) manager.addAgent(addon)
  await startAgents(client, informers, addons)
  const writes = await watchWrites(informers)
  await manager.start()
  const results = []
  const report = (result) => {
    console.error(describeResult(result))
    results.push(result)
  }
  report(await measureInstallation({ client, informers, hub, writes }))
  report({ name: 'memory of the hub', value: residentMebibytes(hub.pid), unit: 'MiB', limit: 1_024, detail: '' })
  report(await measureRest(hub, writes))
  report(await measureRollout({ client, informers, hub, writes }))
  await manager.close()
  await informers.close()
  client.close()
  return results
}

/** From the definition of the add-ons until all of them are available and have their configurations on all clusters. */
async function measureInstallation({ client, informers, hub, writes }) {
  const busy = [cpuMilliseconds(hub.pid), cpuMilliseconds(process.pid)]
  const start = performance.now()
  const installed = whenAll(informers, CLUSTERS * ADDONS, ({ status }) => {
    return isConditionTrue(status?.conditions, 'Available') && isCompleted(status)
  })
  await Promise.all(Array.from({ length: ADDONS }, (_, index) => define(client, addonName(index))))
  const seconds = ((await installed) - start) / 1_000
  const [cpu, own] = [hub.pid, process.pid].map((pid, at) => ((cpuMilliseconds(pid) - busy[at]) / 1_000).toFixed(1))
  await writes.quiet()
  const settled = ((writes.lastAt - start) / 1_000).toFixed(1)
  const perAddOn = (writes.count / (CLUSTERS * ADDONS)).toFixed(1)
  const detail = `CPU time of the hub ${cpu} s, of the add-ons' controllers and the agents ${own} s; settled after ${settled} s with ${perAddOn} writes for each add-on of a cluster`
  const name = `${ADDONS} add-ons available on ${CLUSTERS} clusters`
  return { name, value: seconds, unit: 's', limit: 60, detail }
}

/** The load while nothing changes. */
async function measureRest(hub, writes) {
  const before = writes.count
  const busy = [cpuMilliseconds(hub.pid), cpuMilliseconds(process.pid)]
  await sleep(REST_MILLISECONDS)
  const share = (pid, at) => `${(((cpuMilliseconds(pid) - busy[at]) / REST_MILLISECONDS) * 100).toFixed(1)} %`
  const [ofHub, own] = [hub.pid, process.pid].map(share)
  const detail = `add-ons, works and clusters written in 10 s; the hub used ${ofHub} of a core, the add-ons' controllers ${own}`
  return { name: 'writes at rest', value: writes.count - before, unit: 'objects', limit: 0, detail }
}

/** From a change of a configuration until it is applied on all clusters, at once. */
async function measureRollout({ client, informers, hub, writes }) {
  const before = writes.count
  const busy = cpuMilliseconds(hub.pid)
  const name = addonName(0)
  const addOns = informers.of(ManagedClusterAddOn)
  const [old] = addOns.list().filter(({ metadata }) => metadata.name === name)
  const hash = old.status.configReferences[0].desiredConfig.specHash
  const start = performance.now()
  const applied = whenAll(informers, CLUSTERS, ({ metadata, status }) => {
    const lastApplied = status?.configReferences?.[0]?.lastAppliedConfig?.specHash
    return metadata.name === name && lastApplied !== undefined && lastApplied !== hash
  })
  await configure(client, name, '2')
  const seconds = ((await applied) - start) / 1_000
  const cpu = ((cpuMilliseconds(hub.pid) - busy) / 1_000).toFixed(1)
  await writes.quiet()
  const detail = `CPU time of the hub ${cpu} s; ${writes.count - before} writes`
  return { name: `a configuration rolled out to ${CLUSTERS} clusters`, value: seconds, unit: 's', limit: 15, detail }
}

function isCompleted(status) {
  return findCondition(status?.conditions, 'Progressing')?.reason === 'Completed'
}

/** Resolves with the time when so many add-ons match. */
function whenAll(informers, count, matches) {
  const done = new Set()
  return new Promise((resolve) => {
    const stop = informers.of(ManagedClusterAddOn).subscribe(({ after }) => {
      if (after === undefined || !matches(after)) return
      done.add(`${after.metadata.namespace}/${after.metadata.name}`)
      if (done.size < count) return
      resolve(performance.now())
      queueMicrotask(() => stop())
    })
  })
}

/** Counts the writes of add-ons, their works and clusters. */
async function watchWrites(informers) {
  const writes = {
    count: 0,
    lastAt: 0,
    async quiet() {
      const start = performance.now()
      while (performance.now() - Math.max(start, this.lastAt) < QUIET_MILLISECONDS) await sleep(20)
    },
  }
  const watched = [ManagedClusterAddOn, ClusterManagementAddOn, ManifestWork, ManagedCluster]
  for (const informer of watched.map((kind) => informers.of(kind))) {
    await informer.whenSynced()
    informer.subscribe(({ initial }) => {
      if (initial) return
      writes.count++
      writes.lastAt = performance.now()
    })
  }
  return writes
}

/** Waits until the hub has processed the clusters. */
async function idle(hub) {
  for (let busy = 1_000; busy > 100; ) {
    const before = cpuMilliseconds(hub.pid)
    await sleep(1_000)
    busy = cpuMilliseconds(hub.pid) - before
  }
}

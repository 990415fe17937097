// Measures works from the hub to a cluster and back: hub, API server of the cluster and agent are separate processes,
// over TLS. See ../README.md.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ManagedCluster, ManifestWork } from '../../packages/api/dist/index.js'
import { ConfigMap, Namespace } from '../../packages/kinds/dist/kinds/core.generated.js'
import { isConditionTrue } from '../../packages/kinds/dist/values/conditions.js'
import { clientFrom, Informers } from '../../packages/kube/dist/index.js'
import { describeResult, isMissed, table } from '../apiserver/report.mjs'
import { cpuMilliseconds, fileIn, residentMebibytes, startPart } from './processes.mjs'

const WORKS = 1_000
const MAPS = 5
const CHANGES = 200
const CREATORS = 16
const CLUSTER = 'bench'
const TARGET = 'bench'

const directory = mkdtempSync(join(tmpdir(), 'orrery-bench-'))
const parts = []
try {
  const results = await measure()
  for (const result of results) console.error(describeResult(result))
  console.log(table(results))
  process.exitCode = results.some(isMissed) ? 1 : 0
} finally {
  for (const part of parts.reverse()) await part.stop()
  rmSync(directory, { recursive: true, force: true })
}

async function measure() {
  const { hub, spoke, agent } = await startFleet()
  const informers = new Informers(hub)
  const works = informers.of(ManifestWork, { namespace: CLUSTER })
  await works.whenSynced()
  const reached = { Applied: deferred(), Available: deferred() }
  const done = { Applied: new Set(), Available: new Set() }
  works.subscribe(({ after }) => {
    for (const type of Object.keys(done)) {
      if (after === undefined || !isConditionTrue(after.status?.conditions, type)) continue
      done[type].add(after.metadata.name)
      if (done[type].size === WORKS) reached[type].resolve(performance.now())
    }
  })
  const start = performance.now()
  await createWorks(hub)
  const created = performance.now()
  const [applied, available] = await Promise.all([reached.Applied.promise, reached.Available.promise])
  const seconds = (at) => (at - start) / 1000
  const [hubCpu, serverCpu, agentCpu] = parts.map(({ pid }) => `${(cpuMilliseconds(pid) / 1000).toFixed(1)} s`)
  const cpu = `CPU time since the start: hub ${hubCpu}, the cluster's API server ${serverCpu}, agent ${agentCpu}`
  const detail = `${WORKS} works of ${MAPS} ConfigMaps, created in ${seconds(created).toFixed(1)} s; ${cpu}`
  const results = [
    { name: 'all works Applied', value: seconds(applied), unit: 's', limit: 10, detail },
    { name: 'all works Available', value: seconds(available), unit: 's', limit: 12, detail },
    await measureLatency(spoke, works),
  ]
  results.push(await measureIdle(spoke, hub, agent))
  const memory = residentMebibytes(agent.pid)
  results.push({ name: "agent's memory", value: memory, unit: 'MiB', limit: 150, detail: `with ${WORKS} works` })
  await informers.close()
  return results
}

async function startFleet() {
  const hubFiles = fileIn(directory, 'hub', 'kubeconfig')
  const hubArgs = ['hub', '--data', join(directory, 'hub'), '--auto-approve']
  const bootstrap = fileIn(directory, 'hub', 'bootstrap-kubeconfig')
  await startPart(parts, hubArgs, () => hubFiles.isThere() && bootstrap.isThere())
  const spokeFiles = fileIn(directory, 'spoke', 'kubeconfig')
  await startPart(parts, ['apiserver', '--data', join(directory, 'spoke'), '--port', '0'], spokeFiles.isThere)
  const [hub, spoke] = await Promise.all([clientFrom(hubFiles.file), clientFrom(spokeFiles.file)])
  await spoke.create(Namespace, { metadata: { name: TARGET } })
  const agentArgs = ['agent', '--kubeconfig', spokeFiles.file, '--cluster-name', CLUSTER, '--no-leader-elect']
  const isAvailable = async () => {
    const cluster = await hub.find(ManagedCluster, { name: CLUSTER })
    return isConditionTrue(cluster?.status?.conditions, 'ManagedClusterConditionAvailable')
  }
  const agent = await startPart(parts, [...agentArgs, '--bootstrap-kubeconfig', bootstrap.file], isAvailable)
  return { hub, spoke, agent }
}

async function createWorks(hub) {
  let next = 0
  const creator = async () => {
    for (let index = next++; index < WORKS; index = next++) await hub.create(ManifestWork, workOf(index))
  }
  await Promise.all(Array.from({ length: CREATORS }, creator))
}

function nameOf(work, map) {
  return `w${work}-m${map}`
}

function workOf(index) {
  const manifests = Array.from({ length: MAPS }, (_, map) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: TARGET, name: nameOf(index, map) },
    data: { number: `${index}`, text: 'x'.repeat(100) },
  }))
  const resourceIdentifier = { group: '', resource: 'configmaps', namespace: TARGET, name: nameOf(index, 0) }
  const jsonPaths = [{ name: 'mark', path: '.metadata.annotations.mark' }]
  const manifestConfigs = [{ resourceIdentifier, feedbackRules: [{ type: 'JSONPaths', jsonPaths }] }]
  return {
    metadata: { namespace: CLUSTER, name: `work-${index}` },
    spec: { workload: { manifests }, manifestConfigs },
  }
}

/** From a field's change on the cluster to the status on the hub. */
async function measureLatency(spoke, works) {
  const waiting = new Map()
  const stop = works.subscribe(({ after }) => {
    for (const { statusFeedback } of after?.status?.resourceStatus?.manifests ?? []) {
      for (const { fieldValue } of statusFeedback?.values ?? []) waiting.get(fieldValue.string)?.(performance.now())
    }
  })
  const latencies = []
  for (let change = 0; change < CHANGES; change++) {
    const mark = `mark-${change}`
    const seen = new Promise((resolve) => waiting.set(mark, resolve))
    const startedAt = performance.now()
    const ref = { namespace: TARGET, name: nameOf(change * 3, 0) }
    await spoke.patch(ConfigMap, ref, { metadata: { annotations: { mark } } })
    latencies.push((await seen) - startedAt)
    waiting.delete(mark)
  }
  stop()
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))]
  const detail = `p50 ${at(0.5).toFixed(0)} ms, longest ${latencies.at(-1).toFixed(0)} ms, ${CHANGES} changes`
  return { name: 'a changed field in the status on the hub, p99', value: at(0.99), unit: 'ms', limit: 300, detail }
}

/** The writes while nothing changes. */
async function measureIdle(spoke, hub, agent) {
  const versions = async () => {
    const [maps, works] = await Promise.all([
      spoke.list(ConfigMap, { namespace: TARGET }),
      hub.list(ManifestWork, { namespace: CLUSTER }),
    ])
    return new Map([...maps.items, ...works.items].map(({ metadata }) => [metadata.uid, metadata.resourceVersion]))
  }
  const before = await versions()
  const busy = cpuMilliseconds(agent.pid)
  await sleep(5_000)
  const idle = cpuMilliseconds(agent.pid) - busy
  const after = await versions()
  const changed = [...after].filter(([uid, version]) => before.get(uid) !== version).length
  const detail = `objects written in 5 s in which nothing changed; the agent used ${(idle / 50).toFixed(1)} % of a core`
  return { name: 'writes at rest', value: changed, unit: 'objects', limit: 0, detail }
}

function deferred() {
  let resolve
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

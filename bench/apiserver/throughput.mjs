import { mkdirSync, writeFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { Connection, connectTls, requestBytes } from './connection.mjs'
import { cpuSeconds, Helper, startOrrery, startPeer, targetOf } from './processes.mjs'
import { COLLECTION, LIST_NAMESPACE, namespace, ofNamespace } from './workload.mjs'

const LISTED = 500
const CREATES = { kind: 'create', path: COLLECTION }

const CASES = [
  { name: 'creates, 16 connections', peer: 'bare', limit: 0.6, job: { ...CREATES, connections: 16 } },
  { name: 'creates, 64 connections', peer: 'bare', limit: 0.6, job: { ...CREATES, connections: 64 } },
  { name: 'GET, 16 connections', peer: 'bare', limit: 0.6, job: { kind: 'get', connections: 16 } },
  {
    name: 'LIST of 500, 4 connections',
    peer: 'reserialiser',
    limit: 2,
    job: { kind: 'get', path: ofNamespace(LIST_NAMESPACE), connections: 4 },
  },
]

/** Requests per second of our server and its peers, in turns, and their ratio. */
export async function measureThroughput({ directory, rounds, milliseconds, log }) {
  const ourData = join(directory, 'orrery')
  const pki = join(ourData, 'pki')
  const orrery = await startOrrery(ourData)
  const servers = { orrery, bare: await startPeer('bare', join(directory, 'bare'), pki) }
  const generator = new Helper('generator.mjs')
  try {
    const ask = async (name, job) => {
      const cpu = cpuSeconds(servers[name].pid)
      const result = await generator.ask({ target: targetOf(servers[name], pki), milliseconds, ...job })
      if (result.failed > 0) throw new Error(`${result.failed} requests to ${name} failed`)
      return { ...result, cpuMicroseconds: ((cpuSeconds(servers[name].pid) - cpu) / result.count) * 1e6 }
    }
    const onePath = await prepare(orrery, pki, ask)
    servers.reserialiser = await startReserialiser(directory, orrery, pki)
    const jobOf = ({ job }) => ({ path: onePath, ...job })
    // One unmeasured round, to warm up the compiler.
    for (const one of CASES) for (const name of ['orrery', one.peer]) await ask(name, jobOf(one))
    const results = []
    for (const one of CASES) {
      const ours = []
      const theirs = []
      for (let round = 0; round < rounds; round++) {
        ours.push(await ask('orrery', jobOf(one)))
        theirs.push(await ask(one.peer, jobOf(one)))
      }
      results.push(compare(one, ours, theirs))
      log(results.at(-1))
    }
    return results
  } finally {
    generator.stop()
    for (const server of Object.values(servers)) await server.stop()
  }
}

/** Writes the data to read. Returns the path of one object. */
async function prepare(orrery, pki, ask) {
  const connection = new Connection(await connectTls(targetOf(orrery, pki)))
  await connection.exchange(requestBytes('POST', '/api/v1/namespaces', namespace(LIST_NAMESPACE)))
  connection.close()
  const path = ofNamespace(LIST_NAMESPACE)
  await ask('orrery', { kind: 'create', path, connections: 16, milliseconds: 60_000, requests: LISTED })
  await ask('bare', { ...CREATES, connections: 16, milliseconds: 60_000, requests: LISTED })
  return `${path}/cm-00000000`
}

/** Gives the peer for lists the list of our server. */
async function startReserialiser(directory, orrery, pki) {
  const data = join(directory, 'reserialiser')
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'list.json'), await fetchBody(targetOf(orrery, pki), ofNamespace(LIST_NAMESPACE)))
  return startPeer('reserialiser', data, pki)
}

function fetchBody(target, path) {
  return new Promise((resolve, reject) => {
    get({ ...target, path, agent: false }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve(Buffer.concat(chunks)))
    }).on('error', reject)
  })
}

function compare({ name, peer, limit }, ours, theirs) {
  const median = (runs, field) => middle(runs.map((run) => run[field]))
  const ratios = ours.map((run, round) => run.rate / theirs[round].rate)
  const describe = (runs) =>
    `${Math.round(median(runs, 'rate'))}/s, p99 ${median(runs, 'p99').toFixed(1)} ms, ${median(runs, 'cpuMicroseconds').toFixed(0)} µs CPU`
  return {
    name,
    value: middle(ratios),
    unit: '×',
    limit,
    atLeast: true,
    detail: `${describe(ours)}; ${peer}: ${describe(theirs)}`,
    runs: { ours, theirs },
  }
}

function middle(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

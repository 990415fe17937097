// Measures an informer against its limits: filling it with many small objects, by a streaming list and by pages.
import { pathToFileURL } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { KubeClient } from '../../packages/kube/dist/client/client.js'
import { Informers } from '../../packages/kube/dist/informer/informers.js'
import { describeResult, isMissed } from '../apiserver/report.mjs'
import { configMap, median } from './workload.mjs'

const MANAGED_FIELDS = [
  {
    manager: 'bench',
    operation: 'Update',
    apiVersion: 'v1',
    time: '2030-01-01T00:00:00Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': { '.': {}, 'f:value': {} }, 'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } } },
  },
]

const OBJECTS = 50_000
const ROUNDS = 7
const CHUNK_BYTES = 64 * 1024
const PAGE_SIZE = 500
const ConfigMap = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', scope: 'Namespaced' }

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')

/** Results for objects as servers send them, and for the hardest case: those without managedFields to drop. */
export async function measureInformer({ rounds = ROUNDS } = {}) {
  return [...(await measureShape('', true, rounds)), ...(await measureShape(', no field ownership', false, rounds))]
}

async function measureShape(suffix, withManagedFields, rounds) {
  const bytes = encode(withManagedFields)
  const ratios = { stream: [], pages: [] }
  const milliseconds = { parse: [], stream: [], pages: [] }
  for (let round = 0; round < rounds; round++) {
    milliseconds.parse.push(timed(() => JSON.parse(bytes.list.toString('utf8'))))
    for (const way of ['stream', 'pages']) {
      collectGarbage()
      const { informers, elapsed } = await fill(bytes[way])
      await informers.close()
      milliseconds[way].push(elapsed)
      ratios[way].push(elapsed / milliseconds.parse.at(-1))
    }
  }
  const parse = median(milliseconds.parse)
  const size = bytes.list.length
  const timing = (way) => ({
    name: `informer of ${OBJECTS} objects, by ${way}${suffix}`,
    value: median(ratios[way]),
    unit: '×',
    limit: 2,
    detail: `${median(milliseconds[way]).toFixed(0)} ms, JSON.parse ${parse.toFixed(0)} ms of ${mebibytes(size)}`,
  })
  return [timing('stream'), timing('pages'), await measureMemory(bytes.stream, size, suffix)]
}

/** The memory of the objects and their indexes, after garbage collection. */
async function measureMemory(answers, size, suffix) {
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  const { informers } = await fill(answers)
  collectGarbage()
  const taken = process.memoryUsage().heapUsed - before
  const detail = `${mebibytes(taken)} for ${mebibytes(size)} of JSON`
  await informers.close()
  return { name: `informer's memory${suffix}`, value: taken / size, unit: '×', limit: 3, detail }
}

async function fill(answers) {
  const informers = new Informers(new KubeClient({ request: (request) => Promise.resolve(answers(request)) }))
  const startedAt = performance.now()
  const informer = informers.of(ConfigMap)
  informer.addIndex('app', ({ metadata }) => [metadata.labels.app])
  await informers.whenSynced()
  const elapsed = performance.now() - startedAt
  if (informer.size !== OBJECTS || informer.byIndex('app', 'web-7').length !== OBJECTS / 50)
    throw new Error('not all came')
  return { informers, elapsed }
}

/** The same objects in their three forms. */
function encode(withManagedFields) {
  const objects = Array.from({ length: OBJECTS }, (_, index) =>
    configMap(index, 10_000 + index, withManagedFields ? { metadata: { managedFields: MANAGED_FIELDS } } : {}),
  )
  const list = Buffer.from(
    JSON.stringify({ kind: 'ConfigMapList', metadata: { resourceVersion: '90000' }, items: objects }),
  )
  return { list, stream: streamOf(objects), pages: pagesOf(objects) }
}

function streamOf(objects) {
  const end = { metadata: { resourceVersion: '90000', annotations: { 'k8s.io/initial-events-end': 'true' } } }
  const events = [...objects.map((object) => ({ type: 'ADDED', object })), { type: 'BOOKMARK', object: end }]
  const bytes = Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return ({ signal }) => reply(200, chunks(bytes, signal))
}

function pagesOf(objects) {
  const pages = []
  for (let from = 0; from < objects.length; from += PAGE_SIZE) {
    const next = from + PAGE_SIZE < objects.length ? { continue: String(from / PAGE_SIZE + 1) } : {}
    const items = objects.slice(from, from + PAGE_SIZE)
    pages.push(Buffer.from(JSON.stringify({ metadata: { resourceVersion: '90000', ...next }, items })))
  }
  return ({ path, signal }) => {
    const query = new URL(path, 'http://server').searchParams
    if (query.has('sendInitialEvents')) return reply(400, once(Buffer.from('no')))
    if (query.has('watch')) return reply(200, chunks(Buffer.alloc(0), signal))
    return reply(200, once(pages[Number(query.get('continue') ?? 0)]))
  }
}

async function* chunks(bytes, signal) {
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) yield bytes.subarray(from, from + CHUNK_BYTES)
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

async function* once(bytes) {
  yield bytes
}

function reply(status, body) {
  const bytes = async () => {
    for await (const chunk of body) return chunk
  }
  return { status, headers: {}, body, bytes }
}

function timed(work) {
  collectGarbage()
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

function mebibytes(bytes) {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const results = await measureInformer()
  for (const result of results) console.log(describeResult(result))
  process.exitCode = results.some(isMissed) ? 1 : 0
}

// The time of one durable write to reach every watcher inside the process, and the memory of a watcher. Usage: node
// --expose-gc bench/store/fan-out.mjs [watchers, default 1000]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../packages/apiserver/dist/store/open.js'
import { createWatchHub } from '../../packages/apiserver/dist/watch/hub.js'
import { systemClock } from '../../packages/kube/dist/clock.js'

const WATCHERS = Number(process.argv[2] ?? 1000)
const WRITES = 500
const directory = mkdtempSync(join(tmpdir(), 'orrery-bench-'))
const store = await openStore(directory)
let committed = 0
let delivered = 0
// Listeners are called in order of subscription: this one right before the hub.
store.subscribe(() => {
  committed = performance.now()
})
const hub = createWatchHub(store, { clock: systemClock })

const ignore = () => undefined
const encoding = { key: 'plain', object: (entry) => entry.bytes, bookmark: () => Buffer.from('{}') }
const sink = { write: () => ++delivered > 0, onDrain: ignore, onClose: ignore, end: ignore, destroy: ignore }
const selection = { bucket: 'configmaps', namespace: 'bench', name: 'one', filter: undefined }
const delivery = { initial: [], markInitialEnd: false, bookmarks: true, timeoutSeconds: 3600 }

globalThis.gc?.()
const before = process.memoryUsage().heapUsed
for (let index = 0; index < WATCHERS; index++) {
  hub.open({ ...selection, ...delivery, encoding, since: store.revision, sink })
}
globalThis.gc?.()
const bytes = (process.memoryUsage().heapUsed - before) / WATCHERS

const times = []
store.subscribe(() => times.push(performance.now() - committed))
for (let write = 0; write < WRITES; write++) {
  const head = store.head('configmaps', 'bench', 'one')
  const object = { metadata: { name: 'one', resourceVersion: '' }, data: 'x'.repeat(1500) }
  await store.put('configmaps', 'bench', 'one', head, (revision) => {
    object.metadata.resourceVersion = String(revision)
    return Buffer.from(JSON.stringify(object))
  })
}
times.sort((a, b) => a - b)
const at = (share) => times[Math.floor(times.length * share)].toFixed(3)
console.log(`${WATCHERS} watchers, ${delivered} events delivered, ${bytes.toFixed(0)} bytes of heap a watcher`)
console.log(`from commit to the last watcher: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`)
hub.close()
await store.close()
rmSync(directory, { recursive: true })

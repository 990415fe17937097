// Durable writes per second through the store, as a ratio to a bare LMDB loop that stores the same bytes in the same
// run. Usage: node bench/store/durable-puts.mjs [seconds per round, default 1]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { openStore } from '../../packages/apiserver/dist/store/open.js'

const SECONDS = Number(process.argv[2] ?? 1)
const ROUNDS = 3
const data = { value: 'x'.repeat(900) }

function encode(name, revision) {
  const metadata = { name, namespace: 'bench', resourceVersion: String(revision) }
  return Buffer.from(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }))
}

async function bareLmdb(directory) {
  const database = open({ path: join(directory, 'bare'), encoding: 'binary', overlappingSync: false })
  return {
    put: (index) => database.put(index, encode(`n${index}`, index)),
    close: () => database.close(),
  }
}

async function orreryStore(directory) {
  const store = await openStore(directory)
  return {
    put: (index) =>
      store.put('configmaps', 'bench', `n${index}`, undefined, (revision) => encode(`n${index}`, revision)),
    close: () => store.close(),
  }
}

/** Writes per second with `writers` writers, each waiting for its write before the next. */
async function measure(openTarget, writers) {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-bench-'))
  const target = await openTarget(directory)
  const end = performance.now() + SECONDS * 1000
  let next = 1
  const started = performance.now()
  const writer = async () => {
    while (performance.now() < end) await target.put(next++)
  }
  await Promise.all(Array.from({ length: writers }, writer))
  const rate = (next - 1) / ((performance.now() - started) / 1000)
  await target.close()
  rmSync(directory, { recursive: true })
  return rate
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1]

for (const writers of [1, 16, 64]) {
  const bare = []
  const ours = []
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await measure(bareLmdb, writers))
    ours.push(await measure(orreryStore, writers))
  }
  const [bareRate, ourRate] = [median(bare), median(ours)]
  const columns = [`${writers} writers`, `bare ${Math.round(bareRate)}/s`, `store ${Math.round(ourRate)}/s`]
  console.log(`${columns.join('\t')}\tratio ${(ourRate / bareRate).toFixed(2)}`)
}

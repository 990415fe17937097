import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStore } from './open.js'
import { dataOf, temporaryDirectory } from './testing.fixture.js'

const ROUNDS = Number(process.env.ORRERY_CRASH_ROUNDS ?? 10)
const WRITER = fileURLToPath(new URL('./crash-writer.fixture.js', import.meta.url))

interface Acknowledged {
  readonly revision: number
  /** Undefined for a removal. */
  readonly value: string | undefined
}

/** Starts a writer process, kills it after a random time, and returns the acknowledged writes in order. */
async function writeAndKill(directory: string, round: number): Promise<Map<string, Acknowledged>> {
  const writer = spawn(process.execPath, [WRITER, directory, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  writer.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  // Kills it sometimes while it starts, opens or creates the store, but mostly while it writes, however slow the
  // machine is.
  const kill = () => writer.kill('SIGKILL')
  if (round % 6 === 5) setTimeout(kill, 50 + Math.random() * 150)
  else writer.stdout.once('data', () => setTimeout(kill, Math.random() * 150))
  await once(writer, 'close')
  const acknowledged = new Map<string, Acknowledged>()
  for (const line of output.split('\n').slice(0, -1)) {
    const [name = '', revision, value] = line.split(' ')
    const known = acknowledged.get(name)
    if (known === undefined || known.revision < Number(revision)) {
      acknowledged.set(name, { revision: Number(revision), value })
    }
  }
  return acknowledged
}

test(`store: loses no acknowledged write and reuses no revision when its process is killed ${ROUNDS} times`, async (t) => {
  const directory = temporaryDirectory(t)
  let revision = 0
  let writes = 0
  for (let round = 0; round < ROUNDS; round++) {
    const acknowledged = await writeAndKill(directory, round)
    const store = await openStore(directory)
    const newest = Math.max(...[...acknowledged.values()].map((one) => one.revision))
    assert.ok(Math.min(...[...acknowledged.values()].map((one) => one.revision)) > revision, 'a revision was repeated')
    assert.ok(store.revision >= newest, `revision went back from ${newest} to ${store.revision}`)
    for (const [name, last] of acknowledged) {
      const entry = store.get('things', 'ns', name)
      if (entry === undefined || entry.revision > last.revision) {
        // Only a later write that was not acknowledged can have changed it.
        const later = [...store.changesSince('things', Math.max(last.revision, store.compactedRevision))]
        const isRemoved = last.value === undefined && entry === undefined
        assert.ok(isRemoved || later.some((change) => change.entry.name === name), `${name} was lost`)
        continue
      }
      assert.equal(entry.revision, last.revision, `${name} went back`)
      assert.equal(dataOf(entry), last.value)
    }
    for (const entry of store.page({ bucket: 'things', namespace: undefined }).entries) {
      assert.equal(entry.object().metadata.resourceVersion, String(entry.revision))
      assert.equal(entry.object().metadata.name, entry.name)
    }
    revision = store.revision
    writes += acknowledged.size
    await store.close()
  }
  assert.ok(writes > 0)
})

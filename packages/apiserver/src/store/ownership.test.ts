import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStore } from './open.js'
import { StoreInUse } from './ownership.js'
import { temporaryDirectory, write } from './testing.fixture.js'

const OPEN = new URL('./open.js', import.meta.url).href

/** Opens the store in another process, prints that, and waits to be killed. */
const HOLD = `
  const { openStore } = await import(${JSON.stringify(OPEN)})
  await openStore(process.argv[1])
  console.log('open')
  setInterval(() => undefined, 1000)
`

function claims(directory: string): string[] {
  return readdirSync(directory).filter((name) => name.startsWith('store.owner-'))
}

test('openStore: refuses a store that the same process has open', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await openStore(directory)
  await assert.rejects(openStore(directory), (error: StoreInUse) => error.pid === process.pid)
  await store.close()
  await (await openStore(directory)).close()
  assert.deepEqual(claims(directory), [])
})

test('openStore: names the process that has the store open, and succeeds after it is killed', async (t) => {
  const directory = temporaryDirectory(t)
  const holder = spawn(process.execPath, ['--input-type=module', '-e', HOLD, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  await assert.rejects(openStore(directory), (error: Error) => {
    assert.ok(error instanceof StoreInUse)
    assert.match(error.message, new RegExp(`in use by process ${holder.pid}`))
    return true
  })
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  await (await openStore(directory)).close()
  assert.deepEqual(claims(directory), [])
})

test('openStore: ignores the lock of a zombie process', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const directory = temporaryDirectory(t)
  // `sleep` replaces the shell and never reaps its child.
  const script = '"$0" --input-type=module -e "$1" "$2" & echo $!; exec sleep 60'
  const parent = spawn('sh', ['-c', script, process.execPath, HOLD, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => parent.kill('SIGKILL'))
  let output = ''
  for await (const text of parent.stdout.setEncoding('utf8')) {
    output += text
    if (output.includes('open')) break
  }
  const pid = Number.parseInt(output, 10)
  process.kill(pid, 'SIGKILL')
  while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) await setImmediate()
  await (await openStore(directory)).close()
  assert.deepEqual(claims(directory), [])
})

test('claimStore: ignores the lock of a process that no longer exists', async (t) => {
  const directory = temporaryDirectory(t)
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(join(directory, `store.owner-${pid}-12345-abc`), '')
  writeFileSync(join(directory, 'store.owner-nonsense'), '')
  await (await openStore(directory)).close()
  assert.deepEqual(claims(directory), [])
})

test('claimStore: ignores the lock if another process has the PID now', async (t) => {
  const directory = temporaryDirectory(t)
  const store = await openStore(directory)
  const [own] = claims(directory) as [string]
  await store.close()
  const [, , started, boot] = own.split('-')
  const parent = process.ppid
  writeFileSync(join(directory, `store.owner-${parent}-${started}1-${boot}`), '')
  writeFileSync(join(directory, `store.owner-${parent}-${started}-other`), '')
  await (await openStore(directory)).close()
  assert.deepEqual(claims(directory), [])
})

test('enterDirectory: keeps the old store after an interrupted replacement', async (t) => {
  const directory = temporaryDirectory(t)
  await (await openStore(directory)).close()
  renameSync(join(directory, 'store'), join(directory, 'store.replaced'))
  await (await openStore(directory)).close()
  assert.deepEqual(readdirSync(directory), ['store'])
})

test('enterDirectory: leaves one complete store and no leftovers after every interrupted replacement', async (t) => {
  const STATES: readonly (readonly string[])[] = [
    ['store', 'store.partial'],
    ['store.partial', 'store.replaced'],
    ['store', 'store.replaced'],
    ['store', 'restore.unfinished'],
  ]
  for (const state of STATES) {
    const directory = temporaryDirectory(t)
    const valid = state.includes('store') ? 'store' : 'store.replaced'
    for (const name of state) {
      const made = join(directory, 'made')
      const store = await openStore(made)
      await write(store, 'ns', name === valid ? 'valid' : 'other', 1)
      await store.close()
      if (name === 'restore.unfinished') writeFileSync(join(directory, name), '')
      else renameSync(join(made, 'store'), join(directory, name))
      rmSync(made, { recursive: true })
    }
    const store = await openStore(directory)
    assert.notEqual(store.get('things', 'ns', 'valid'), undefined, state.join())
    await store.close()
    assert.deepEqual(readdirSync(directory), ['store'], state.join())
  }
})

test('restore: does not start with an empty store after an interrupted restore', async (t) => {
  const directory = temporaryDirectory(t)
  writeFileSync(join(directory, 'restore.unfinished'), '')
  await assert.rejects(openStore(directory), /a restore into the data directory .* was interrupted/)
  await (await openStore(directory, { newStore: true })).close()
  assert.deepEqual(readdirSync(directory), ['store'])
})

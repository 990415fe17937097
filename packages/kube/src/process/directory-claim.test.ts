import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { claimDirectory } from './directory-claim.js'

class InUse extends Error {
  readonly pid: number
  constructor(pid: number) {
    super('in use')
    this.pid = pid
  }
}

const OPTIONS = { prefix: 'owner-', inUse: (pid: number) => new InUse(pid) }

const CLAIM = new URL('./directory-claim.js', import.meta.url).href

/** Claims a directory in another process, prints that, and waits to be killed. */
const HOLD = `
  const { claimDirectory } = await import(${JSON.stringify(CLAIM)})
  await claimDirectory(process.argv[1], { prefix: 'owner-', inUse: () => new Error('in use') })
  console.log('claimed')
  setInterval(() => undefined, 1e6)
`

function temporaryDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-claim-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

async function holder(t: TestContext, directory: string, before: readonly string[] = []): Promise<ChildProcess> {
  const [file = '', ...rest] = [...before, process.execPath, '--input-type=module', '-e', HOLD, directory]
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  // Its output ends with the last process that holds it.
  await once(child, 'close')
}

/** The claim is held until its process is killed, and then leaves nothing behind. */
async function holdsUntilKilled(directory: string, child: ChildProcess): Promise<void> {
  await assert.rejects(claimDirectory(directory, OPTIONS), InUse)
  await end(child)
  const release = await claimDirectory(directory, OPTIONS)
  assert.equal(readdirSync(directory).length, 1)
  await assert.rejects(claimDirectory(directory, OPTIONS), (error: InUse) => error.pid === process.pid)
  release()
  assert.deepEqual(readdirSync(directory), [])
}

test('claimDirectory: is held while its process lives, and ends when that is killed', async (t) => {
  const directory = temporaryDirectory(t)
  await holdsUntilKilled(directory, await holder(t, directory))
})

test('claimDirectory: is held even if no process has the PID in its name, as in another PID namespace', async (t) => {
  const directory = temporaryDirectory(t)
  const child = await holder(t, directory)
  const [name = ''] = readdirSync(directory)
  const { pid = 0 } = spawnSync(process.execPath, ['-e', ''])
  renameSync(join(directory, name), join(directory, name.replace(/-\d+-/, `-${pid}-`)))
  await holdsUntilKilled(directory, child)
})

const CONTAINER = ['unshare', '--fork', '--kill-child', '--pid', '--mount-proc'] as const

test('claimDirectory: is held across PID namespaces', async (t) => {
  const [file, ...rest] = CONTAINER
  if (spawnSync(file, [...rest, 'true']).status !== 0) return t.skip('a PID namespace requires Linux and root')
  const directory = temporaryDirectory(t)
  await holdsUntilKilled(directory, await holder(t, directory, CONTAINER))
})

test('claimDirectory: accepts a path that is longer than a socket path may be', async (t) => {
  const directory = join(temporaryDirectory(t), 'a'.repeat(120))
  mkdirSync(directory)
  await holdsUntilKilled(directory, await holder(t, directory))
})

test('claimDirectory: at most one of many concurrent claims succeeds', async (t) => {
  const directory = temporaryDirectory(t)
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', HOLD, directory], { stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  t.after(() => children.forEach((child) => void child.kill('SIGKILL')))
  const outcomes = await Promise.all(
    children.map((child) =>
      Promise.race([once(child.stdout, 'data').then(() => 'claimed'), once(child, 'exit').then(() => 'refused')]),
    ),
  )
  assert.ok(outcomes.filter((outcome) => outcome === 'claimed').length <= 1, outcomes.join())
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { isRunning, markOf } from '@orrery/kube/process'
import { announceStart, claimFleet, FleetInUse, starterOf, supervisorOf } from './claim.js'
import { fleetDirectory } from './directory.js'

const CLAIM = new URL('./claim.js', import.meta.url).href
const DIRECTORY = new URL('./directory.js', import.meta.url).href

/** Claims the fleet in another process, prints that, and waits to be killed. */
const HOLD = `
  const { claimFleet } = await import(${JSON.stringify(CLAIM)})
  const { fleetDirectory } = await import(${JSON.stringify(DIRECTORY)})
  await claimFleet(fleetDirectory(process.argv[1]))
  console.log('claimed')
  setInterval(() => undefined, 1e6)
`

test('claimFleet: a claim is held only while its process lives', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-claim-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const directory = fleetDirectory(root)
  const other = spawn(process.execPath, ['--input-type=module', '-e', HOLD, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const mark = markOf(other.pid!)
  await assert.rejects(claimFleet(directory), (error: FleetInUse) => error.pid === mark.pid)
  assert.deepEqual(supervisorOf(directory), mark)
  other.kill('SIGKILL')
  await once(other, 'exit')
  assert.equal(isRunning(mark), false)
  const release = await claimFleet(directory)
  const own = markOf(process.pid)
  assert.deepEqual(supervisorOf(directory), own)
  await assert.rejects(claimFleet(directory), FleetInUse)
  release()
  assert.deepEqual(await readdir(root), [])
})

test('claimFleet: a later process with the same PID is a different one', () => {
  const { pid } = process
  assert.equal(isRunning(markOf(pid)), true)
  assert.equal(isRunning({ pid, started: '1' }), false)
})

test('announceStart: the starter is known until it withdraws, and does not block a claim', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-claim-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const directory = fleetDirectory(root)
  await writeFile(join(root, 'starter-1-1'), '')
  assert.equal(starterOf(directory), undefined)
  const takeBack = announceStart(directory)
  const self = markOf(process.pid)
  assert.deepEqual(await readdir(root), [`starter-${self.pid}-${self.started}`])
  assert.deepEqual([starterOf(directory), supervisorOf(directory)], [self, undefined])
  const release = await claimFleet(directory)
  takeBack()
  assert.deepEqual([starterOf(directory), supervisorOf(directory)], [undefined, self])
  release()
})

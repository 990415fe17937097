import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { announceStart, claimFleet, FleetInUse, starterOf, supervisorOf } from './claim.js'
import { fleetDirectory } from './directory.js'
import { isRunning, markOf } from './processmark.js'

test('a claim holds while its process lives, and no longer', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-claim-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const directory = fleetDirectory(root)
  const other = spawn(process.execPath, ['--eval', 'setInterval(() => undefined, 1e6)'])
  const mark = markOf(other.pid!)
  await writeFile(join(root, `supervisor-${mark.pid}-${mark.started}`), '')
  assert.throws(() => claimFleet(directory), FleetInUse)
  assert.deepEqual(await readdir(root), [`supervisor-${mark.pid}-${mark.started}`])
  other.kill('SIGKILL')
  await once(other, 'exit')
  assert.equal(isRunning(mark), false)
  const release = claimFleet(directory)
  const own = markOf(process.pid)
  assert.deepEqual(await readdir(root), [`supervisor-${own.pid}-${own.started}`])
  release()
  assert.deepEqual(await readdir(root), [])
})

test('a later process with the same number is another one', () => {
  const { pid } = process
  assert.equal(isRunning(markOf(pid)), true)
  assert.equal(isRunning({ pid, started: '1' }), false)
})

test('who starts a fleet is known until it takes that back, and keeps nobody from claiming it', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-claim-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  const directory = fleetDirectory(root)
  await writeFile(join(root, 'starter-1-1'), '')
  assert.equal(starterOf(directory), undefined)
  const takeBack = announceStart(directory)
  const self = markOf(process.pid)
  assert.deepEqual(await readdir(root), [`starter-${self.pid}-${self.started}`])
  assert.deepEqual([starterOf(directory), supervisorOf(directory)], [self, undefined])
  const release = claimFleet(directory)
  takeBack()
  assert.deepEqual([starterOf(directory), supervisorOf(directory)], [undefined, self])
  release()
})

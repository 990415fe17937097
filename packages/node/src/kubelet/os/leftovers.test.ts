import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { GroupProcess } from './child-process.js'
import { endLeftovers, notePid } from './leftovers.js'

test('endLeftovers: ends the processes of an earlier node run and no others', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const pods = await mkdtemp(join(tmpdir(), 'orrery-left-'))
  t.after(() => rm(pods, { recursive: true }))
  const start = () =>
    GroupProcess.start({
      command: [process.execPath, '-e', 'setInterval(() => {}, 1e6)'],
      environment: new Map(),
      directory: pods,
      onOutput: () => undefined,
    })
  const left = await start()
  const other = await start()
  t.after(() => other.kill('SIGKILL'))
  const noted = join(pods, 'uid-1/containers/main')
  const reused = join(pods, 'uid-2/containers/main')
  await mkdir(noted, { recursive: true })
  await mkdir(reused, { recursive: true })
  await notePid(noted, left.pid)
  // Another process has this PID now.
  await writeFile(join(reused, 'pid'), `${other.pid} 1\n`)
  assert.equal(await endLeftovers(pods), 1)
  assert.deepEqual(await left.ended, { exitCode: 137, signal: 9 })
  assert.ok(other.isRunning)
})

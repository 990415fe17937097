import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { afterwards, temporaryDirectory } from '../support/server.js'

const ORRERY = fileURLToPath(new URL('../../../packages/cli/bin/orrery.js', import.meta.url))

test('cluster part: stops while it waits for its hub', async (t) => {
  const directory = await temporaryDirectory(t)
  const part = fork(ORRERY, ['agent', '--cluster-name', 'c1', '--data', directory], { stdio: 'ignore' })
  const ended = once(part, 'exit')
  afterwards(t, async () => {
    part.kill('SIGKILL')
    await ended
  })
  await once(part, 'message')
  part.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

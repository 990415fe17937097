import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigChecker } from './config-checker.js'

test('ConfigChecker: reports files whose content has changed, appeared or gone', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-config-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [first, second] = [join(directory, 'first'), join(directory, 'second')]
  await writeFile(first, 'a')
  const checker = await ConfigChecker.start([first, second])
  await writeFile(first, 'a')
  assert.deepEqual(await checker.problems(), [])
  await writeFile(second, 'b')
  assert.deepEqual(await checker.problems(), [`${second} has changed since the agent started`])
  await rm(first)
  assert.equal((await checker.problems()).length, 2)
})

import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '@orrery/kube/testing'
import { watchSources } from './source-watch.js'

test('watchSources: calls back for changes since a time, and in new directories, but not for what is made', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-sources-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const started = Date.now() - 1_000
  await mkdir(join(directory, 'src'))
  await mkdir(join(directory, 'bundle'))
  await writeFile(join(directory, 'src/main.ts'), '1')
  let calls = 0
  const stop = watchSources(directory, started, async () => void calls++)
  t.after(stop)
  await eventually('the change before the watch is noticed', () => calls === 1)
  await writeFile(join(directory, 'src/main.ts'), '2')
  await eventually('a change is noticed', () => calls === 2)
  await mkdir(join(directory, 'src/parts'))
  await eventually('a new directory is noticed', () => calls === 3)
  await writeFile(join(directory, 'src/parts/one.ts'), '1')
  await eventually('a change in it is noticed', () => calls === 4)
  await writeFile(join(directory, 'bundle/main.mjs'), '1')
  await writeFile(join(directory, 'addon.json'), '1')
  await eventually('a later change is noticed', () => calls === 5)
  assert.equal(calls, 5)
})

import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { AtomicDirectory, type Payload } from './atomic-directory.js'

const payload = (files: Record<string, string>): Payload =>
  new Map(Object.entries(files).map(([path, text]) => [path, { bytes: Buffer.from(text), mode: 0o644 }]))

test('AtomicDirectory: replaces all files at once and removes missing ones', async (t) => {
  const path = await mkdtemp(join(tmpdir(), 'orrery-atomic-'))
  t.after(() => rm(path, { recursive: true }))
  const directory = new AtomicDirectory(path)
  await directory.write(payload({ a: '1', 'deep/b': '2' }))
  assert.equal(await readFile(join(path, 'deep/b'), 'utf8'), '2')
  const first = await readlink(join(path, '..data'))
  await directory.write(payload({ a: '1', 'deep/b': '2' }))
  assert.equal(await readlink(join(path, '..data')), first)
  await directory.write(payload({ a: '3' }))
  assert.equal(await readFile(join(path, 'a'), 'utf8'), '3')
  assert.deepEqual(
    (await readdir(path)).filter((name) => !name.startsWith('..')),
    ['a'],
  )
  assert.equal((await readdir(path)).length, 3)
})

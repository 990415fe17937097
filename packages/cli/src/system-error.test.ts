import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { errorMessage } from './system-error.js'

test('errorMessage: reports why the parent of a directory prevents its creation', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-words-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await writeFile(join(root, 'file'), '')
  const message = (path: string, syscall: string) =>
    errorMessage(Object.assign(new Error('ENOENT: …'), { code: 'ENOENT', syscall, path }))
  const [below, missing] = [join(root, 'file', 'a', 'b'), join(root, 'a', 'b')]
  assert.equal(message(below, 'mkdir'), `${below}: not a directory`)
  assert.equal(message(missing, 'mkdir'), `${missing}: no such file or directory`)
  assert.equal(message(below, 'open'), `${below}: no such file or directory`)
})

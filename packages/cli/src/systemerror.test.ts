import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { inWords } from './systemerror.js'

test('why a directory cannot be made is asked of what it would be in', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'orrery-words-'))
  t.after(() => rm(root, { recursive: true, force: true }))
  await writeFile(join(root, 'file'), '')
  const words = (path: string, syscall: string) =>
    inWords(Object.assign(new Error('ENOENT: …'), { code: 'ENOENT', syscall, path }))
  const [below, missing] = [join(root, 'file', 'a', 'b'), join(root, 'a', 'b')]
  assert.equal(words(below, 'mkdir'), `${below} cannot be used: a file is in its place`)
  assert.equal(words(missing, 'mkdir'), `${missing} cannot be used: there is no such file or directory`)
  assert.equal(words(below, 'open'), `${below} cannot be used: there is no such file or directory`)
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { removeTree } from './remove-tree.js'

async function madeDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-remove-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

const skip = process.platform === 'linux' ? false : 'needs /proc'

test('removeTree: removes links, unreadable directories and odd names without following links', { skip }, async (t) => {
  const directory = await madeDirectory(t)
  const tree = join(directory, 'tree')
  await mkdir(join(tree, 'closed', 'inner'), { recursive: true })
  await mkdir(join(directory, 'kept'))
  await writeFile(join(directory, 'kept', 'file'), '')
  await symlink(join(directory, 'kept'), join(tree, 'link'))
  await symlink('/nowhere', join(tree, 'closed', 'dangling'))
  await writeFile(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]), '')
  await chmod(join(tree, 'closed'), 0)
  await removeTree(tree)
  assert.deepEqual(await readdir(directory), ['kept'])
  assert.deepEqual(await readdir(join(directory, 'kept')), ['file'])
  await removeTree(tree)
})

test('removeTree: removes a tree that is deeper than the longest path', { skip }, async (t) => {
  const directory = await madeDirectory(t)
  const before = process.cwd()
  process.chdir(directory)
  try {
    for (let depth = 0; depth < 3_000; depth++) {
      mkdirSync('level')
      process.chdir('level')
    }
  } finally {
    process.chdir(before)
  }
  await removeTree(join(directory, 'level'))
  assert.deepEqual(await readdir(directory), [])
})

/** Swaps a directory and a link as long as it can. */
const SWAPPING = `
const { renameSync } = require('node:fs')
process.stdout.write('ready')
for (let round = 0; round < 200_000; round++) {
  for (const [from, to] of [['sub', 'away'], ['link', 'sub'], ['sub', 'link'], ['away', 'sub']]) {
    try { renameSync(from, to) } catch {}
  }
}`

test('removeTree: does not follow a link that replaces a directory', { skip }, async (t) => {
  const directory = await madeDirectory(t)
  const kept = join(directory, 'kept')
  const names = Array.from({ length: 100 }, (_, index) => `file-${index}`)
  await mkdir(kept)
  for (const name of names) await writeFile(join(kept, name), '')
  for (let round = 0; round < 10; round++) {
    const tree = join(directory, 'tree')
    await mkdir(join(tree, 'sub'), { recursive: true })
    for (const name of names) await writeFile(join(tree, 'sub', name), '')
    await symlink(kept, join(tree, 'link'))
    const swapping = spawn(process.execPath, ['-e', SWAPPING], { cwd: tree, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = new Promise((resolve) => swapping.once('exit', resolve))
    await new Promise((resolve) => swapping.stdout.once('data', resolve))
    await removeTree(tree)
    swapping.kill('SIGKILL')
    await ended
    assert.equal((await readdir(kept)).length, names.length)
  }
})

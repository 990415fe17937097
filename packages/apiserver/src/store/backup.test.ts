import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readBackup, writeBackup } from './backup.js'

async function fileOf(t: TestContext, objects: number, ...pieces: Buffer[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-backup-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'hostile.bak')
  const header = { format: 'orrery-backup/1', cluster: 'c', revision: 1, created: '2030-01-01T00:00:00Z', objects }
  await writeFile(file, Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...pieces]))
  return file
}

test('readBackup: refuses a record of an impossible length without reading the rest of the file', async (t) => {
  const frame = Buffer.alloc(12)
  frame.writeUInt32BE(0xffff_ffff, 8)
  const file = await fileOf(t, 1, frame, Buffer.alloc(16 * 1024 * 1024))
  await assert.rejects(readBackup(file), /hostile.bak is not a usable backup: it has a record of 4294967295 bytes/)
})

test('readBackup: refuses a file that continues after its objects', async (t) => {
  const file = await fileOf(t, -1, Buffer.alloc(16 * 1024 * 1024))
  await assert.rejects(readBackup(file), /hostile.bak is not a usable backup: it is too long/)
})

test('writeBackup: does not write to a file that another user has made for it', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-backup-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const file = join(directory, 'cluster.bak')
  await symlink(join(directory, 'stolen'), `${file}.partial-${process.pid}`)
  await writeBackup(file, { cluster: 'c', revision: 1, created: '2030-01-01T00:00:00Z' }, [])
  assert.deepEqual((await readdir(directory)).sort(), ['cluster.bak', `cluster.bak.partial-${process.pid}`])
})

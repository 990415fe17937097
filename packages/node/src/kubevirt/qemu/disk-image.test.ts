import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyOverlay, inspectImage } from './disk-image.js'

test('inspectImage: tells raw from qcow2, and refuses images that name other files', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-image-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const inspect = async (data: Buffer) => {
    const file = join(directory, 'image')
    await writeFile(file, data)
    return inspectImage(file)
  }
  assert.deepEqual(await inspect(Buffer.alloc(1_000)), { format: 'raw', bytes: 1_024 })
  assert.deepEqual(await inspect(Buffer.alloc(0)), { format: 'raw', bytes: 0 })
  const overlay = emptyOverlay(3 * 1024 ** 3)
  assert.deepEqual(await inspect(overlay), { format: 'qcow2', bytes: 3 * 1024 ** 3 })
  const backed = Buffer.from(overlay)
  backed.writeBigUInt64BE(104n, 8)
  await assert.rejects(inspect(backed), /has a backing file/)
  const external = Buffer.from(overlay)
  external.writeBigUInt64BE(4n, 72)
  await assert.rejects(inspect(external), /has an external data file/)
  await assert.rejects(inspect(Buffer.from('KDMV and more')), /is a vmdk image/)
})

test('emptyOverlay: refuses a disk that its table cannot describe', () => {
  assert.throws(() => emptyOverlay(5 * 1024 ** 4), /too large/)
})

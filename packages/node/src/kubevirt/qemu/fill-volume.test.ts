import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { emptyOverlay } from './disk-image.js'
import { fillBlank, fillFromDisk, fillFromHttp, fillFromImage, type VolumeTarget } from './fill-volume.js'

const MEBIBYTE = 1024 * 1024

async function volume(t: TestContext): Promise<{ target: VolumeTarget; directory: string; disk: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-fill-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  const [place, workDirectory] = [join(directory, 'volume'), join(directory, 'work')]
  for (const one of [place, workDirectory]) await mkdir(one)
  const { signal } = new AbortController()
  const common = { place, workDirectory, bytes: 2 * MEBIBYTE, converter: undefined, isolation: undefined, signal }
  return { target: { ...common, progress: () => undefined }, directory, disk: join(place, 'disk.img') }
}

test('fillBlank: writes an empty disk of the size of the volume, and follows no link', async (t) => {
  const { target, directory, disk } = await volume(t)
  const secret = join(directory, 'secret')
  await writeFile(secret, 'secret')
  await symlink(secret, disk)
  await fillBlank(target)
  assert.equal((await stat(disk)).size, 2 * MEBIBYTE)
  assert.equal(await readFile(secret, 'utf8'), 'secret')
})

test('fillFromDisk: keeps the data and does not write zeros, and follows no link', async (t) => {
  const { target, directory, disk } = await volume(t)
  const source = join(directory, 'source')
  const data = Buffer.alloc(8 * MEBIBYTE)
  data.write('end', data.length - 3)
  await writeFile(source, data)
  await fillFromDisk(target, source)
  assert.ok((await readFile(disk)).equals(data))
  assert.ok((await stat(disk)).blocks * 512 <= 2 * MEBIBYTE)
  await symlink(source, join(directory, 'link'))
  await assert.rejects(fillFromDisk(target, join(directory, 'link')), { code: 'ELOOP' })
})

test('fillFromImage: refuses images that are too large or need a converter', async (t) => {
  const { target, directory } = await volume(t)
  const image = join(directory, 'image')
  await writeFile(image, emptyOverlay(4 * MEBIBYTE))
  await assert.rejects(fillFromImage(target, image), /has 4194304 bytes, more than the 2097152 of the volume/)
  await writeFile(image, emptyOverlay(MEBIBYTE))
  await assert.rejects(fillFromImage(target, image), /qemu-img, which is not installed: install qemu-utils/)
})

test('fillFromHttp: downloads raw and compressed images, and says why it cannot', async (t) => {
  const { target, disk } = await volume(t)
  const data = Buffer.concat([Buffer.from('a disk'), Buffer.alloc(MEBIBYTE)])
  const files: Record<string, Buffer> = {
    '/raw': data,
    '/gz': gzipSync(data),
    '/xz': Buffer.from('\xfd7zXZ\0', 'latin1'),
    '/bomb': gzipSync(Buffer.alloc(80 * MEBIBYTE), { level: 1 }),
  }
  const server = createServer(({ url = '' }, response) => {
    const { [url]: file } = files
    response.writeHead(file === undefined ? 404 : 200, { 'content-length': file?.length ?? 0 }).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const shares: number[] = []
  for (const name of ['raw', 'gz']) {
    await fillFromHttp({ ...target, progress: (share) => shares.push(share) }, `${site}/${name}`)
    const found = await readFile(disk)
    assert.equal(found.length, 2 * MEBIBYTE)
    assert.ok(found.subarray(0, data.length).equals(data))
    await rm(disk)
  }
  assert.equal(shares.at(-1), 1)
  await assert.rejects(fillFromHttp(target, `${site}/none`), /expected status code 200, got 404/)
  await assert.rejects(fillFromHttp(target, `${site}/xz`), /compressed with xz/)
  await assert.rejects(fillFromHttp(target, `${site}/bomb`), /larger than the volume/)
})

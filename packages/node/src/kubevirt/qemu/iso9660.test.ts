import assert from 'node:assert/strict'
import { test } from 'node:test'
import { iso9660 } from './iso9660.js'

const SECTOR = 2048

/** Reads the files below the root of a descriptor: the names are as they are stored. */
function filesIn(image: Buffer, descriptor: number, decode: (name: Buffer) => string): Map<string, string> {
  const found = new Map<string, string>()
  const walk = (sector: number, bytes: number, path: string) => {
    for (let at = sector * SECTOR; at < sector * SECTOR + bytes; ) {
      const length = image.readUInt8(at)
      if (length === 0) {
        at = (Math.floor(at / SECTOR) + 1) * SECTOR
        continue
      }
      const name = image.subarray(at + 33, at + 33 + image.readUInt8(at + 32))
      const [first, size] = [image.readUInt32LE(at + 2), image.readUInt32BE(at + 14)]
      if ((image.readUInt8(at + 25) & 2) === 0) {
        found.set(path + decode(name), image.toString('utf8', first * SECTOR, first * SECTOR + size))
      } else if (name.length > 1) walk(first, size, `${path}${decode(name)}/`)
      at += length
    }
  }
  const root = descriptor * SECTOR + 156
  walk(image.readUInt32LE(root + 2), image.readUInt32LE(root + 10), '')
  return found
}

const plain = (name: Buffer) => name.toString('latin1')
const joliet = (name: Buffer) => Buffer.from(name).swap16().toString('utf16le')

test('iso9660: has a label and the files in both trees', () => {
  const files = new Map([
    ['openstack/latest/meta_data.json', Buffer.from('{}')],
    ['user-data', Buffer.from('x'.repeat(5_000))],
    ['empty', Buffer.alloc(0)],
  ])
  const image = iso9660('config-2', files)
  assert.equal(image.length % SECTOR, 0)
  assert.equal(image.toString('latin1', 16 * SECTOR + 1, 16 * SECTOR + 6), 'CD001')
  assert.equal(image.toString('latin1', 16 * SECTOR + 40, 16 * SECTOR + 72), 'config-2'.padEnd(32))
  assert.equal(image.readUInt32LE(16 * SECTOR + 80), image.length / SECTOR)
  assert.equal(joliet(image.subarray(17 * SECTOR + 40, 17 * SECTOR + 72)), 'config-2'.padEnd(16))
  const expected = { 'empty;1': '', 'openstack/latest/meta_data.json;1': '{}', 'user-data;1': 'x'.repeat(5_000) }
  assert.deepEqual(Object.fromEntries([...filesIn(image, 16, plain)].sort()), expected)
  assert.deepEqual(Object.fromEntries([...filesIn(image, 17, joliet)].sort()), expected)
})

test('iso9660: a directory can have more records than fit into a sector', () => {
  const names = Array.from({ length: 200 }, (_, index) => `file-${String(index).padStart(3, '0')}`)
  const image = iso9660('many', new Map(names.map((name) => [name, Buffer.from(name)])))
  const found = filesIn(image, 17, joliet)
  assert.deepEqual(
    [...found.keys()],
    names.map((name) => `${name};1`),
  )
  assert.equal(found.get('file-199;1'), 'file-199')
})

test('iso9660: refuses paths that are not below the root', () => {
  for (const path of ['../a', '/a', 'a//b', 'a'.repeat(65)]) {
    assert.throws(() => iso9660('x', new Map([[path, Buffer.alloc(0)]])), /cannot be a path on a CD-ROM/)
  }
})

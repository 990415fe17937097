import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mountsOf, parseMounts } from './mount-table.js'

const MOUNTS = parseMounts(`22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:25 / /home rw,nosuid,nodev,relatime - ext4 /dev/vdb rw
31 30 0:26 / /home/me/a\\040b rw,noexec,relatime - tmpfs tmpfs rw
32 22 0:27 / /usr/share ro,relatime - squashfs /dev/loop0 ro
33 22 0:28 / /usr/shared rw,relatime - tmpfs tmpfs rw
`)

test('mountsOf: finds the mount that a path is on', () => {
  const [own, ...below] = mountsOf('/home/me/project', MOUNTS)
  assert.deepEqual([...(own?.flags ?? [])], ['rw', 'nosuid', 'nodev', 'relatime'])
  assert.deepEqual(below, [])
})

test('mountsOf: finds the mounts below a path', () => {
  const points = (path: string) => mountsOf(path, MOUNTS).map(({ point }) => point)
  assert.deepEqual(points('/usr'), ['/usr', '/usr/share', '/usr/shared'])
  assert.deepEqual(points('/usr/share'), ['/usr/share'])
  assert.deepEqual(points('/home/me'), ['/home/me', '/home/me/a b'])
})

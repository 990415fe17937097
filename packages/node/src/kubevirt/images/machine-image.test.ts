import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@orrery/kube/log'
import { parseMachineImages } from './machine-image.js'
import { MachineImageRegistry } from './machine-image-registry.js'

test('parseMachineImages: reads disks and files, and names what is wrong', () => {
  const text = '{"a": {"disk": "/d.qcow2"}, "b": {"files": {"/boot/vmlinuz": "/vmlinuz"}}}'
  assert.deepEqual(parseMachineImages(text, 'file'), {
    a: { disk: '/d.qcow2' },
    b: { files: { '/boot/vmlinuz': '/vmlinuz' } },
  })
  const cases: [string, RegExp][] = [
    ['{', /^TypeError: file is not JSON/],
    ['[]', /file must be an object/],
    ['{"a": {}}', /file: a must have disk or files/],
    ['{"a": {"disk": "relative"}}', /file: a: disk must be an absolute path/],
    ['{"a": {"files": {"/k": 1}}}', /file: a: files must be an object of absolute paths/],
    ['{"a": {"disk": "/d", "size": 1}}', /file: a: unknown field size/],
  ]
  for (const [document, expected] of cases) assert.throws(() => parseMachineImages(document, 'file'), expected)
})

test('MachineImageRegistry: finds the most specific image', () => {
  const images = { 'example.com/*': { disk: '/any' }, 'example.com/fedora': { disk: '/fedora' } }
  const registry = new MachineImageRegistry(images, undefined, silentLogger)
  assert.equal(registry.find('example.com/fedora:42')?.disk, '/fedora')
  assert.equal(registry.find('example.com/other')?.disk, '/any')
  assert.equal(registry.find('example.org/fedora'), undefined)
})

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseBundle, readBundle } from './bundle.js'

const FILE = '/add-ons/hello/addon.json'
const parse = (value: unknown) => parseBundle(JSON.stringify(value), FILE)

test('parseBundle: paths are relative to the add-on, and node is the Node.js of this process', () => {
  const bundle = parse({
    name: 'hello',
    manifests: ['deploy', '../shared/rbac.yaml'],
    programs: {
      'example.com/hello': { command: ['node', './dist/main.js'], args: ['agent'], files: ['./data', '/etc/zone'] },
    },
  })
  assert.deepEqual(bundle, {
    name: 'hello',
    manifests: ['/add-ons/hello/deploy', '/add-ons/shared/rbac.yaml'],
    programs: {
      'example.com/hello': {
        command: [process.execPath, '/add-ons/hello/dist/main.js'],
        args: ['agent'],
        files: ['/add-ons/hello/data', '/etc/zone'],
      },
    },
  })
  assert.deepEqual(parse({ name: 'hello', manifests: ['deploy'] }).programs, {})
})

test('parseBundle: an error names the file and the field', () => {
  const whole = { name: 'hello', manifests: ['deploy'] }
  assert.throws(() => parseBundle('{', FILE), /addon\.json is not JSON: .*position 1/)
  assert.throws(() => parse([]), /must be an object with name, manifests and programs/)
  assert.throws(() => parse({ ...whole, name: 'Hello World' }), /addon\.json: name must be/)
  assert.throws(() => parse({ ...whole, manifests: [] }), /addon\.json: manifests must be/)
  assert.throws(() => parse({ ...whole, manifests: [1] }), /addon\.json: manifests must be/)
  assert.throws(() => parse({ ...whole, image: 'x' }), { message: `${FILE}: unknown field image` })
  assert.throws(() => parse({ ...whole, programs: { x: { command: 'node' } } }), {
    message: `${FILE}: programs: x: command must be a list of strings`,
  })
  assert.throws(() => parse({ ...whole, programs: { x: 1 } }), /programs: x must be an object with a command/)
})

test('readBundle: a directory without addon.json is not an add-on', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-bundle-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  await assert.rejects(readBundle(directory), {
    message: `${directory} is not an add-on: it has no addon.json; \`orrery addon create\` writes a new add-on`,
  })
})

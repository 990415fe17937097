import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { temporaryDirectory } from '../support/server.js'
import { REPOSITORY } from './workspace.js'

const run = promisify(execFile)

function manifest(name: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const exports = { '.': { types: './dist/index.d.ts', default: './dist/index.js' } }
  return JSON.stringify({ name, version: '1.2.3', type: 'module', license: 'MIT', exports, files: ['dist'], ...fields })
}

const SOUND: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'workspace',
    version: '1.2.3',
    private: true,
    workspaces: ['packages/*'],
    scripts: { clean: 'true', build: 'true' },
  }),
  'CHANGELOG.md': '# Changelog\n\n## [1.2.3]\n',
  'packages/a/package.json': manifest('a'),
  'packages/a/dist/index.js': 'export const one = 1\n',
  'packages/a/dist/index.d.ts': 'export declare const one: number\n',
  'packages/b/package.json': manifest('@example/b', { dependencies: { a: '1.2.3' } }),
  'packages/b/dist/index.js': "export { one } from 'a'\n",
  'packages/b/dist/index.d.ts': "export { one } from 'a'\n",
}

async function write(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, file)), { recursive: true })
    await writeFile(join(root, file), text)
  }
}

/** A committed repository of two packages, with files of its own. */
async function repository(t: TestContext, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const root = await temporaryDirectory(t)
  await write(root, { ...SOUND, ...files })
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com']
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...identity, 'commit', '-qm', 'all'],
  ]) {
    await run('git', args, { cwd: root })
  }
  return root
}

/** Runs `release:dry` in a repository. */
async function release(t: TestContext, root: string) {
  const output = await temporaryDirectory(t)
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  const args = [join(REPOSITORY, 'tools/release-dry.mjs'), output]
  const { code = 0, stdout, stderr } = await run(process.execPath, args, { cwd: root, env }).catch((failure) => failure)
  return { code, out: stdout as string, errors: stderr as string, packed: await readdir(output) }
}

test('release:dry: packs all packages and prints their names and sizes', async (t) => {
  const { code, out, errors, packed } = await release(t, await repository(t))
  assert.deepEqual([code, errors], [0, ''])
  assert.match(out, /^PACKAGE +VERSION +PACKED +UNPACKED +FILES\n@?\S+ +1\.2\.3 +1 kB +1 kB +3\n/)
  assert.match(out, /\n2 packages of version 1\.2\.3 are in \S+\. Nothing was published\.\n$/)
  assert.deepEqual(packed.sort(), ['a-1.2.3.tgz', 'example-b-1.2.3.tgz'])
})

test('release:dry: refuses a tree with changes that are not committed', async (t) => {
  const root = await repository(t)
  await write(root, { 'packages/a/dist/index.js': 'export const one = 2\n' })
  const { code, errors, packed } = await release(t, root)
  assert.equal(code, 1)
  assert.equal(
    errors,
    'release: the tree has changes that are not committed: commit or remove them\n   M packages/a/dist/index.js\n',
  )
  assert.deepEqual(packed, [])
})

test('release:dry: refuses packages of different versions, and dependencies on other versions', async (t) => {
  const root = await repository(t, {
    'packages/a/package.json': manifest('a', { version: '1.3.0' }),
    'packages/b/package.json': manifest('@example/b', { dependencies: { a: '^1.2.3', c: '^2.0.0' } }),
  })
  const { code, errors } = await release(t, root)
  assert.equal(code, 1)
  assert.deepEqual(errors.split('\n'), [
    'release: not everything has version 1.2.3: use the version of the root package.json',
    '  packages/a has version 1.3.0',
    '  packages/b depends on a ^1.2.3',
    '',
  ])
})

test('release:dry: refuses a version that the changelog does not describe', async (t) => {
  const { code, errors } = await release(t, await repository(t, { 'CHANGELOG.md': '# Changelog\n\n## [1.2.2]\n' }))
  assert.equal(code, 1)
  assert.equal(errors, 'release: CHANGELOG.md has no section [1.2.3]: describe what changed\n')
})

test('release:dry: refuses tarballs with tests, without the types of an entry, or with files that do not exist', async (t) => {
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './untyped': { default: './dist/untyped.js' },
    './missing': { types: './dist/missing.d.ts', default: './dist/missing.js' },
  }
  const root = await repository(t, {
    'packages/a/package.json': manifest('a', { exports }),
    'packages/a/dist/untyped.js': 'export const two = 2\n',
    'packages/a/dist/index.test.js': 'export const three = 3\n',
  })
  const { code, errors } = await release(t, root)
  assert.equal(code, 1)
  assert.match(errors, /^release: packages would not work where they are installed: correct them\n/)
  assert.match(errors, /^ {2}a contains dist\/index\.test\.js$/m)
  assert.match(errors, /^ {2}a types: UntypedResolution \.\/untyped bundler$/m)
  assert.match(errors, /^ {2}a package\.json: .*dist\/missing\.js/m)
})

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readManifest, REPOSITORY as repository } from './workspace.js'

/** A package imports only those before it. */
const ORDER = [
  'kinds',
  'cel',
  'api',
  'kube',
  'addon',
  'scores',
  'apiserver',
  'node',
  'hub',
  'webhook',
  'agent',
  'maestro',
  'hyperfleet',
  'ovim',
  'fleet',
  'cli',
]

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(repository, path), 'utf8'))

function sourcesOf(name: string): string[] {
  const root = join(repository, 'packages', name, 'src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  return files.map((file) => join(root, file))
}

/** The packages that the sources of a package import, tests included. */
function importsOf(name: string): string[] {
  const found = new Set<string>()
  for (const file of sourcesOf(name)) {
    const text = readFileSync(file, 'utf8')
    for (const [, imported] of text.matchAll(/(?:from|import\() ?'@orrery\/([\w-]+)/g)) found.add(imported as string)
  }
  found.delete(name)
  return [...found].sort((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))
}

test('packages: the order lists all of them', () => {
  assert.deepEqual(readdirSync(join(repository, 'packages')).sort(), [...ORDER].sort())
})

for (const [index, name] of ORDER.entries()) {
  test(`packages: ${name} imports only packages before it, and depends on what it imports`, () => {
    const imported = importsOf(name)
    for (const other of imported) assert.ok(ORDER.slice(0, index).includes(other), `${name} imports ${other}`)
    // Bundled packages are not installed with the command line.
    const { dependencies, devDependencies } = readManifest(join('packages', name))
    const declared = Object.keys({ ...dependencies, ...devDependencies }).flatMap(
      (one) => /^@orrery\/(.*)/.exec(one)?.[1] ?? [],
    )
    assert.deepEqual(declared.sort(), [...imported].sort())
    const { references } = readJson(join('packages', name, 'tsconfig.json')) as { references: { path: string }[] }
    assert.deepEqual(references.map(({ path }) => path.replace('../', '')).sort(), [...imported].sort())
  })
}

test('packages: load modules of their own on demand only while a program starts', () => {
  // The bundle of the command line has a file for each. An upgrade removes the files, but not the processes that run.
  const found = ORDER.filter((name) => name !== 'cli').flatMap((name) =>
    sourcesOf(name)
      .filter((file) => !/\.(test|fixture)\.ts$/.test(file) && /await import\('\./.test(readFileSync(file, 'utf8')))
      .map((file) => file.slice(join(repository, 'packages/').length)),
  )
  assert.deepEqual(found.sort(), [
    'kube/src/manager/run-controllers.ts',
    'kube/src/transport/client-from.ts',
    'kube/src/transport/connect.ts',
    'kube/src/transport/proxy.ts',
    'maestro/src/agent/sources.ts',
    'maestro/src/server/mqtt/open.ts',
    'maestro/src/server/store/database.ts',
  ])
})

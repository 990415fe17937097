import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { entriesOf, PACKAGES, type Published, REPOSITORY, readManifest } from './workspace.js'

const root = readManifest('.')
const text = (...path: string[]) => readFileSync(join(REPOSITORY, ...path), 'utf8')

/** An import of a package, in one line or the last of several, or on demand. */
const IMPORT = /(?:^(?:import|export)\b.*? from |^\} from |^import |import\()["']([@a-z][\w@./:-]*)["']/gm

/** The names of packages that the published sources of a package import. */
function importedBy({ directory, manifest }: Published): string[] {
  const sources = join(REPOSITORY, 'packages', directory, 'src')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  const published = files.filter((file) => file.endsWith('.ts') && !/\.(test|fixture)\.ts$/.test(file))
  const names = published.flatMap((file) =>
    [...readFileSync(join(sources, file), 'utf8').matchAll(IMPORT)].map(
      ([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '',
    ),
  )
  const others = new Set(names.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name)))
  others.delete(manifest.name)
  return [...others].sort()
}

for (const one of PACKAGES) {
  const { directory, manifest } = one

  test(`${manifest.name}: package.json describes the package for people and registries`, () => {
    const { version, description = '', keywords = [], license, repository, type, engines, publishConfig } = manifest
    assert.equal(version, root.version)
    assert.match(description, /^[A-Z].{30,160}[^.]$/)
    assert.ok(keywords.includes('kubernetes') && keywords.length >= 4, 'keywords')
    assert.deepEqual(repository, { ...root.repository, directory: `packages/${directory}` })
    assert.deepEqual({ license, type, engines }, { license: root.license, type: root.type, engines: root.engines })
    assert.deepEqual(publishConfig, { access: 'public' })
    assert.equal(text('packages', directory, 'LICENSE'), text('LICENSE'))
    assert.notEqual(manifest.sideEffects, undefined)
  })

  test(`${manifest.name}: package.json gives types and a module for every entry, and both exist`, () => {
    const { bin, exports = {}, types } = manifest
    for (const [path, target] of Object.entries(exports)) {
      if (path === './package.json') continue
      assert.ok(typeof target === 'object', path)
      assert.deepEqual(Object.keys(target), ['types', 'default'], path)
      for (const file of Object.values(target)) {
        if (!file.includes('*')) assert.ok(existsSync(join(REPOSITORY, 'packages', directory, file)), file)
      }
    }
    if (bin === undefined) assert.deepEqual(exports['.'], { types, default: types?.replace(/\.d\.ts$/, '.js') })
    assert.equal(entriesOf(one).length === 0, bin !== undefined)
  })

  test(`${manifest.name}: package.json lists what the package imports, other projects' packages with an exact version`, () => {
    const { bin, dependencies = {}, devDependencies = {} } = manifest
    // A bundle contains its imports.
    const declared = bin === undefined ? dependencies : devDependencies
    assert.deepEqual(Object.keys(declared).sort(), importedBy(one))
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      assert.match(version, /^\d+\.\d+\.\d+$/, name)
      const other = PACKAGES.find(({ manifest }) => manifest.name === name)
      if (other !== undefined) assert.equal(version, other.manifest.version, name)
    }
  })
}

test('orrery: package.json depends at run time only on what its bundle does not contain', () => {
  const files = readdirSync(join(REPOSITORY, 'packages/cli/bundle')).filter((file) => file.endsWith('.mjs'))
  const bundle = files.map((file) => text('packages/cli/bundle', file)).join('\n')
  const imported = [...bundle.matchAll(IMPORT)].map(([, name = '']) => name)
  const external = new Set(imported.filter((name) => !name.startsWith('node:') && !builtinModules.includes(name)))
  const { dependencies = {} } = readManifest('packages/cli')
  assert.deepEqual([...external].sort(), Object.keys(dependencies))
})

test('orrery: the licenses of all bundled packages are published with the bundle', () => {
  const licenses = text('packages/cli/bundle/third-party-licenses.txt')
  const maps = readdirSync(join(REPOSITORY, 'packages/cli/bundle')).filter((file) => file.endsWith('.mjs.map'))
  const sources = maps.flatMap(
    (file) => (JSON.parse(text('packages/cli/bundle', file)) as { sources: string[] }).sources,
  )
  const found = sources.flatMap(
    (path) => /(node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  )
  // Packages with maps of their own also list files of their builds.
  const directories = [...new Set(found)].filter((one) => existsSync(join(REPOSITORY, one, 'package.json')))
  const bundled = directories.map((directory) => readManifest(directory))
  assert.ok(bundled.some(({ name }) => name === 'commander'))
  for (const { name, version } of bundled) assert.ok(licenses.includes(`\n${name} ${version}\n`), name)
})

test('packages: each compiles without its tests, which are a project of their own', () => {
  const { references } = JSON.parse(text('tsconfig.json')) as { references: { path: string }[] }
  const built = references.map(({ path }) => path)
  for (const { directory } of PACKAGES) {
    const own = JSON.parse(text('packages', directory, 'tsconfig.json')) as Record<string, unknown>
    const tests = JSON.parse(text('packages', directory, 'tsconfig.test.json')) as Record<string, unknown>
    assert.deepEqual(own.exclude, ['src/**/*.test.ts', 'src/**/*.fixture.ts'])
    assert.deepEqual(tests.include, own.exclude)
    assert.deepEqual(tests.references, [{ path: '.' }, ...(own.references as unknown[])])
    for (const path of [`packages/${directory}`, `packages/${directory}/tsconfig.test.json`]) {
      assert.ok(built.includes(path), `tsconfig.json does not build ${path}`)
    }
  }
})

test('package-lock.json: has every optional dependency, also of other platforms, as npm ci requires', () => {
  interface Locked {
    readonly optionalDependencies?: Readonly<Record<string, string>>
  }
  const { packages } = JSON.parse(text('package-lock.json')) as { packages: Readonly<Record<string, Locked>> }
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  )
  assert.deepEqual(missing, [])
})

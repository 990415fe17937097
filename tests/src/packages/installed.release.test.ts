import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { type InstalledProject, installPackages, unwantedFiles } from './installed.js'
import { BROWSER_PACKAGES, entriesOf, PACKAGES, REPOSITORY } from './workspace.js'

const run = promisify(execFile)
const entries = PACKAGES.flatMap(entriesOf)
let project: InstalledProject

before(async () => {
  project = await installPackages()
})
after(() => project?.remove())

test('packages: every package is packed with its license, without tests, and with a module for each source', () => {
  assert.deepEqual(
    project.tarballs.map(({ name }) => name).sort(),
    PACKAGES.map(({ manifest }) => manifest.name).sort(),
  )
  for (const { name, files } of project.tarballs) {
    for (const file of ['LICENSE', 'README.md', 'package.json']) assert.ok(files.includes(file), `${name}: ${file}`)
    assert.deepEqual(unwantedFiles(files), [], name)
    const sources = files.filter((file) => /^src\/.*\.ts$/.test(file))
    const modules = sources.map((file) => file.replace(/^src\//, 'dist/').replace(/\.ts$/, '.js'))
    assert.deepEqual(
      modules.filter((file) => !files.includes(file)),
      [],
      name,
    )
  }
})

/** What the compiler reports of a program in the project. */
async function compile(name: string, program: string, options: Readonly<Record<string, unknown>>): Promise<string> {
  const compilerOptions = {
    ...{ target: 'es2023', types: ['node'], noEmit: true, skipLibCheck: false },
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, ...options },
  }
  const config = join(project.directory, `tsconfig.${name}.json`)
  await writeFile(join(project.directory, `${name}.ts`), program)
  await writeFile(config, JSON.stringify({ compilerOptions, files: [`${name}.ts`] }))
  const compiler = join(REPOSITORY, 'node_modules/.bin/tsc')
  const { stdout } = await run(compiler, ['--project', config]).catch((failure) => failure)
  return stdout as string
}

const exportAll = (names: readonly string[]) =>
  names.map((entry, index) => `export * as entry${index} from '${entry}'\n`).join('')

for (const [moduleResolution, module] of [
  ['node16', 'node16'],
  ['bundler', 'esnext'],
] as const) {
  test(`packages: all declarations compile with moduleResolution ${moduleResolution}`, async () => {
    const program = `${exportAll(entries)}${USE}`
    assert.equal(await compile(moduleResolution, program, { module, moduleResolution }), '')
  })
}

test('kinds, cel, api: all declarations compile without the types of Node.js', async () => {
  const options = { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2023', 'dom'] }
  assert.equal(await compile('browser', exportAll(BROWSER_PACKAGES.flatMap(entriesOf)), options), '')
})

/** Types that cross packages: the kinds of two, the client of a third. */
const USE = `
import { ManagedCluster } from '@orrery/api'
import { Deployment } from '@orrery/kinds'
import { clientFrom } from '@orrery/kube'

const client = await clientFrom()
const deployment = await client.get(Deployment, { namespace: 'default', name: 'web' })
export const replicas: number | undefined = deployment.spec?.replicas
const cluster = await client.get(ManagedCluster, { name: 'west-1' })
export const accepted: boolean = cluster.spec?.hubAcceptsClient ?? false
// @ts-expect-error: the field does not exist
export const wrong = cluster.spec?.hubAcceptsClients
`

test('packages: every entry can be imported and has no side effects', async () => {
  const program = `
    // The store's library keeps its open files in global variables.
    const names = () => Object.getOwnPropertyNames(globalThis).filter((name) => !name.startsWith('__lmdb_'))
    const globals = () => JSON.stringify([names(), process.eventNames().map(String)])
    const before = globals()
    const counts = {}
    for (const entry of ${JSON.stringify(entries)}) counts[entry] = Object.keys(await import(entry)).length
    console.log(JSON.stringify({ counts, hasSideEffects: globals() !== before }))
  `
  const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: project.directory,
  })
  const { counts, hasSideEffects } = JSON.parse(stdout) as { counts: Record<string, number>; hasSideEffects: boolean }
  assert.deepEqual(Object.keys(counts), entries)
  for (const { manifest } of PACKAGES)
    if (manifest.types !== undefined) assert.ok((counts[manifest.name] ?? 0) > 0, manifest.name)
  assert.equal(hasSideEffects, false)
  assert.equal(stderr, '')
})

test('orrery: the installed command starts and stops a fleet', async () => {
  const command = join(project.directory, 'node_modules/.bin/orrery')
  const data = ['--data', join(project.directory, 'fleet')]
  const { stdout: version } = await run(command, ['--version'])
  assert.equal(version, `${PACKAGES.find(({ manifest }) => manifest.bin)?.manifest.version}\n`)
  try {
    await run(command, ['up', '--clusters', '1', '--detach', ...data])
    const { stdout: clusters } = await run(command, ['get', 'clusters', ...data])
    assert.match(clusters, /^cluster1 /m)
  } finally {
    await run(command, ['down', ...data])
  }
})

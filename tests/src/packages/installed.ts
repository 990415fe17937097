import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PACKAGES, REPOSITORY } from './workspace.js'

const run = promisify(execFile)

/** A packed package. */
export interface Tarball {
  readonly name: string
  readonly path: string
  readonly files: readonly string[]
}

interface Packing {
  pack(root: string, packages: readonly { readonly directory: string }[], output: string): Tarball[]
}

interface TarballFiles {
  unwantedFiles(files: readonly string[]): string[]
}

const releaseTool = (file: string): Promise<unknown> => import(join(REPOSITORY, 'tools/release', file))
const { pack } = (await releaseTool('pack.mjs')) as Packing
/** The check of a release: a file that it refuses fails the tests first. */
export const { unwantedFiles } = (await releaseTool('tarball-files.mjs')) as TarballFiles

/** A project with nothing in it but the packed packages, installed by npm. */
export interface InstalledProject {
  readonly directory: string
  readonly tarballs: readonly Tarball[]
  remove(): Promise<void>
}

/**
 * Packs all packages and installs the tarballs into an empty project. Other projects' packages are linked from the
 * workspace, so that no registry is needed.
 */
export async function installPackages(): Promise<InstalledProject> {
  const root = await mkdtemp(join(tmpdir(), 'orrery-installed-'))
  const directory = join(root, 'project')
  await mkdir(directory)
  const packages = PACKAGES.map(({ directory }) => ({ directory: join('packages', directory) }))
  const tarballs = pack(REPOSITORY, packages, join(root, 'packed'))
  const others = PACKAGES.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}))
    .filter((name) => !tarballs.some((tarball) => tarball.name === name))
    .concat('@types/node')
  const dependencies = Object.fromEntries([
    ...tarballs.map(({ name, path }) => [name, `file:${path}`]),
    ...others.map((name) => [name, `file:${join(REPOSITORY, 'node_modules', name)}`]),
  ])
  await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }))
  const options = ['--offline', '--ignore-scripts', '--install-links=false', '--no-package-lock', '--loglevel=error']
  // Without the settings of the npm that may have started the tests.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))
  await run('npm', ['install', ...options, '--cache', join(root, 'cache')], { cwd: directory, env })
  return { directory, tarballs, remove: () => rm(root, { recursive: true, force: true }) }
}

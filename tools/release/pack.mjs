// Packs packages of a repository with npm.
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Packs all packages into a directory. */
export function pack(root, packages, output) {
  mkdirSync(output, { recursive: true })
  const workspaces = packages.flatMap(({ directory }) => ['--workspace', directory])
  const options = ['--json', '--ignore-scripts', '--offline', '--loglevel=error', '--pack-destination', output]
  const text = execFileSync('npm', ['pack', ...options, ...workspaces], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return Object.values(JSON.parse(text)).map(({ name, version, filename, size, unpackedSize, files }) => {
    const paths = files.map(({ path }) => path)
    return { name, version, path: join(output, filename), size, unpackedSize, files: paths }
  })
}

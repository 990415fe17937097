// Builds Go programs of released modules into .cache/interop/bin.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const BIN = new URL('../../.cache/interop/bin/', import.meta.url).pathname

function go(args, cwd, stdout = 'inherit') {
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }
  try {
    return execFileSync('go', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', stdout, 'inherit'] })
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error('go is not installed: it is needed to prepare the interop tests')
    throw error
  }
}

/** Runs with a directory for a module of our own, and removes it afterwards. */
export function withDirectory(run) {
  mkdirSync(BIN, { recursive: true })
  const directory = mkdtempSync(join(BIN, '.build-'))
  try {
    return run(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Makes the directory a module that requires the release, so that its go.mod is used unchanged. Its own go.sum verifies
 * its dependencies, since not every checksum database has all of them. Returns the directory of its source.
 */
export function requireModule(directory, module, release, directives = '') {
  writeFileSync(join(directory, 'go.mod'), `module interop\n\ngo 1.25\n${directives}`)
  go(['get', `${module}@${release}`], directory)
  const source = moduleDirectory(directory, module)
  appendFileSync(join(directory, 'go.sum'), readFileSync(join(source, 'go.sum')))
  return source
}

/** Returns the directory of the source of a required module. */
export function moduleDirectory(directory, module) {
  return go(['list', '-m', '-f', '{{.Dir}}', module], directory, 'pipe').trim()
}

/** Builds a package of the required module. The program appears when it is complete. */
export function buildProgram(directory, path, name) {
  const target = join(directory, name)
  go(['build', '-ldflags', '-s -w', '-o', target, path], directory)
  renameSync(target, join(BIN, name))
}

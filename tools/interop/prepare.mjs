// Prepares the components of Open Cluster Management for the interop tests: `node tools/interop/prepare.mjs`. They
// are stored in .cache/interop/bin; existing ones stay. The first available release is taken: a module proxy need not
// have all of them.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const BIN = new URL('../../.cache/interop/bin/', import.meta.url).pathname
const RELEASE = join(BIN, 'release')
const MODULE = 'open-cluster-management.io/ocm'
const RELEASES = ['v1.3.1', 'v1.2.1']
const PROGRAMS = ['placement', 'registration', 'work']

function go(args, cwd) {
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }
  execFileSync('go', args, { cwd, env, stdio: ['ignore', 'inherit', 'inherit'] })
}

/**
 * Whether the release is available. A module of our own requires it, so that its go.mod is used unchanged; its own
 * go.sum verifies its dependencies, since not every checksum database has all of them.
 */
function get(release, directory) {
  writeFileSync(join(directory, 'go.mod'), 'module interop\n\ngo 1.25\n')
  try {
    go(['get', `${MODULE}@${release}`], directory)
    const source = execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', MODULE], { cwd: directory, encoding: 'utf8' })
    appendFileSync(join(directory, 'go.sum'), readFileSync(join(source.trim(), 'go.sum')))
    return true
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error('go is not installed: it is needed to prepare the interop tests')
    console.error(`${MODULE}@${release} is not available`)
    return false
  }
}

function build(directory) {
  for (const name of PROGRAMS) {
    const target = join(directory, name)
    go(['build', '-ldflags', '-s -w', '-o', target, `${MODULE}/cmd/${name}`], directory)
    renameSync(target, join(BIN, name))
  }
}

mkdirSync(BIN, { recursive: true })
if (PROGRAMS.every((name) => existsSync(join(BIN, name))) && existsSync(RELEASE)) {
  console.log(`Open Cluster Management ${readFileSync(RELEASE, 'utf8')} is there`)
} else {
  const directory = mkdtempSync(join(BIN, '.build-'))
  try {
    const release = RELEASES.find((one) => get(one, directory))
    if (release === undefined) throw new Error(`none of ${RELEASES.join(', ')} of ${MODULE} is available`)
    build(directory)
    writeFileSync(RELEASE, release)
    console.log(`built ${PROGRAMS.join(' and ')} of Open Cluster Management ${release}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

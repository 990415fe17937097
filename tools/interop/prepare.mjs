// Prepares the components of Open Cluster Management for the interop tests: `node tools/interop/prepare.mjs`. They
// are stored in .cache/interop/bin; existing ones stay. The first available release is taken: a module proxy need not
// have all of them.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, requireModule, withDirectory } from './go.mjs'

const RELEASE = join(BIN, 'release')
const MODULE = 'open-cluster-management.io/ocm'
const RELEASES = ['v1.3.1', 'v1.2.1']
const PROGRAMS = ['addon', 'placement', 'registration', 'work']

function isAvailable(release, directory) {
  try {
    requireModule(directory, MODULE, release)
    return true
  } catch (error) {
    if (error.status === undefined) throw error
    console.error(`${MODULE}@${release} is not available`)
    return false
  }
}

const missing = existsSync(RELEASE) ? PROGRAMS.filter((name) => !existsSync(join(BIN, name))) : PROGRAMS
if (missing.length === 0) {
  console.log(`Open Cluster Management ${readFileSync(RELEASE, 'utf8')} is there`)
} else {
  withDirectory((directory) => {
    // Programs that are there keep their release: all of them are of the same one.
    const releases = missing.length < PROGRAMS.length ? [readFileSync(RELEASE, 'utf8').trim()] : RELEASES
    const release = releases.find((one) => isAvailable(one, directory))
    if (release === undefined) throw new Error(`none of ${releases.join(', ')} of ${MODULE} is available`)
    for (const name of missing) buildProgram(directory, `${MODULE}/cmd/${name}`, name)
    writeFileSync(RELEASE, release)
    console.log(`built ${missing.join(', ')} of Open Cluster Management ${release}`)
  })
}

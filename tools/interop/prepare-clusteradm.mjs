// Prepares clusteradm for the interop tests: `node tools/interop/prepare-clusteradm.mjs`. It is stored in
// .cache/interop/bin; an existing one stays. Run it after prepare.mjs.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, requireModule, withDirectory } from './go.mjs'

const NAME = 'clusteradm'
const MODULE = 'open-cluster-management.io/clusteradm'
const RELEASE = 'v1.3.1'

if (existsSync(join(BIN, NAME))) {
  console.log('clusteradm is there')
} else {
  withDirectory((directory) => {
    // The release that prepare.mjs has found: a module proxy need not have the one that clusteradm requires.
    const ocm = readFileSync(join(BIN, 'release'), 'utf8').trim()
    const replacement = `\nreplace open-cluster-management.io/ocm => open-cluster-management.io/ocm ${ocm}\n`
    requireModule(directory, MODULE, RELEASE, replacement)
    buildProgram(directory, `${MODULE}/cmd/clusteradm`, NAME)
    console.log(`built clusteradm ${RELEASE}`)
  })
}

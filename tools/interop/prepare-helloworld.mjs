// Prepares example add-ons of addon-framework for the interop tests: `node tools/interop/prepare-helloworld.mjs`. The programs are
// stored in .cache/interop/bin, and their manifests in .cache/interop/<program>. Existing ones stay.
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, requireModule, withDirectory } from './go.mjs'

const MODULE = 'open-cluster-management.io/addon-framework'
const RELEASE = 'v1.3.0'
/** The programs, and the directories of their manifests. */
const EXAMPLES = { helloworld: 'helloworld', helloworld_hosted: 'helloworld-hosted' }

const manifestsOf = (name) => join(BIN, '..', name)
const missing = Object.keys(EXAMPLES).filter((name) => !existsSync(join(BIN, name)) || !existsSync(manifestsOf(name)))
if (missing.length === 0) {
  console.log(`${Object.keys(EXAMPLES).join(', ')} are there`)
} else {
  withDirectory((directory) => {
    const source = requireModule(directory, MODULE, RELEASE)
    for (const name of missing) {
      const resources = join(source, 'examples/deploy/addon', EXAMPLES[name], 'resources')
      for (const file of readdirSync(resources)) cpSync(join(resources, file), join(manifestsOf(name), file))
      buildProgram(directory, `${MODULE}/cmd/example/${name}`, name)
    }
    console.log(`built ${missing.join(', ')} of addon-framework ${RELEASE}`)
  })
}

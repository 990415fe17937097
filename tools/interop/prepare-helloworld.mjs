// Prepares the helloworld add-on of addon-framework for the interop tests: `node tools/interop/prepare-helloworld.mjs`.
// The program is stored in .cache/interop/bin, and its manifests in .cache/interop/helloworld. Existing ones stay.
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, requireModule, withDirectory } from './go.mjs'

const NAME = 'helloworld'
const MODULE = 'open-cluster-management.io/addon-framework'
const RELEASE = 'v1.3.0'
const MANIFESTS = join(BIN, '..', NAME)

if (existsSync(join(BIN, NAME)) && existsSync(MANIFESTS)) {
  console.log('helloworld is there')
} else {
  withDirectory((directory) => {
    const source = requireModule(directory, MODULE, RELEASE)
    const resources = join(source, 'examples/deploy/addon', NAME, 'resources')
    for (const file of readdirSync(resources)) cpSync(join(resources, file), join(MANIFESTS, file))
    buildProgram(directory, `${MODULE}/cmd/example/helloworld`, NAME)
    console.log(`built helloworld of addon-framework ${RELEASE}`)
  })
}

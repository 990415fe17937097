// Prepares a program on KubeVirt's client library, and the sample objects of its API, for the interop tests:
// `node tools/interop/prepare-kubevirt.mjs`. They are stored in .cache/interop/bin; existing ones stay. If the module
// proxy does not have KubeVirt, its tests are skipped.
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, moduleDirectory, requireModule, withDirectory } from './go.mjs'

const MODULE = 'kubevirt.io/client-go'
const API = 'kubevirt.io/api'
const RELEASE = 'v1.8.0'
/** The API of the same release, and the replacements of the module, which do not apply to programs that require it. */
const DIRECTIVES = `
require ${API} ${RELEASE}

replace (
	github.com/openshift/api => github.com/openshift/api v0.0.0-20210105115604-44119421ec6b
	k8s.io/kube-openapi => k8s.io/kube-openapi v0.0.0-20250710124328-f3f2b991d03b
)
`
const SOURCE = new URL('../../tests/clients/go/kubevirt/main.go', import.meta.url).pathname
const PROGRAM = 'kubevirt-client'
const SAMPLES = join(BIN, 'kubevirt-samples')

if (existsSync(join(BIN, PROGRAM)) && existsSync(SAMPLES)) console.log('The client of KubeVirt is there')
else withDirectory(build)

function build(directory) {
  try {
    requireModule(directory, MODULE, RELEASE, DIRECTIVES)
  } catch (error) {
    if (error.status === undefined) throw error
    console.warn(`SKIPPED: ${MODULE} ${RELEASE} is not available from the module proxy: put ${PROGRAM} into ${BIN}`)
    return
  }
  const client = join(directory, 'client')
  cpSync(SOURCE, join(client, 'main.go'))
  buildProgram(directory, './client', PROGRAM)
  const samples = join(moduleDirectory(directory, API), 'apitesting/testdata/HEAD')
  mkdirSync(SAMPLES, { recursive: true })
  for (const name of readdirSync(samples).filter((file) => /VirtualMachine.*\.json$/.test(file))) {
    cpSync(join(samples, name), join(SAMPLES, name))
  }
  console.log(`built ${PROGRAM} of ${MODULE} ${RELEASE}`)
}

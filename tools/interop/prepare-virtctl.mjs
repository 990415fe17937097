// Prepares KubeVirt's command line for the interop tests: `node tools/interop/prepare-virtctl.mjs`. It is stored in
// .cache/interop/bin; an existing one stays. If the module proxy does not have KubeVirt, its tests are skipped.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, withDirectory } from './go.mjs'

const RELEASE = 'v1.8.0'
const PROGRAM = 'virtctl'
/** Modules that KubeVirt has in its own repository, but not in its module. */
const REPLACED = ['kubevirt.io/api', 'kubevirt.io/client-go']

if (existsSync(join(BIN, PROGRAM))) console.log(`${PROGRAM} is there`)
else withDirectory(build)

function build(directory) {
  const go = (args, cwd = directory) =>
    execFileSync('go', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
  let module
  try {
    module = JSON.parse(go(['mod', 'download', '-json', `kubevirt.io/kubevirt@${RELEASE}`]))
  } catch (error) {
    if (error.status === undefined) throw error
    console.warn(`SKIPPED: KubeVirt ${RELEASE} is not available from the module proxy: put ${PROGRAM} into ${BIN}`)
    return
  }
  const source = join(directory, 'source')
  // A copy, since the module cache is read-only. Its workspace names directories that the module does not have.
  cpSync(module.Dir, source, { recursive: true, filter: (path) => !/\/(vendor|go\.work(\.sum)?)$/.test(path) })
  execFileSync('chmod', ['-R', 'u+w', source])
  go(['mod', 'edit', ...REPLACED.flatMap((name) => ['-replace', `${name}=${name}@${RELEASE}`])], source)
  buildProgram(source, './cmd/virtctl', PROGRAM)
  console.log(`built ${PROGRAM} of KubeVirt ${RELEASE}`)
}

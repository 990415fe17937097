// Prepares Maestro's server, a program on its SDK, Mosquitto and PostgreSQL for the interop tests and bench/maestro:
// `node tools/interop/prepare-maestro.mjs`. The programs are stored in .cache/interop/bin; existing ones stay.
// If the module proxy does not have Maestro, its tests are skipped.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { BIN, buildProgram, requireModule, withDirectory } from './go.mjs'

const MODULE = 'github.com/openshift-online/maestro'
const COMMIT = 'ab480c6578bcbcbceeeb2c964c7bef6aed119c18'
const CLIENT = new URL('../../tests/clients/go/maestro/main.go', import.meta.url).pathname
const PROGRAMS = ['maestro', 'maestro-client']
const PACKAGES = { mosquitto: '/usr/sbin/mosquitto', postgresql: '/usr/lib/postgresql' }

installPackages()
const missing = PROGRAMS.filter((name) => !existsSync(join(BIN, name)))
if (missing.length === 0) console.log('Maestro is there')
else withDirectory(build)

function build(directory) {
  if (!isAvailable(directory)) {
    console.warn(`SKIPPED: ${MODULE} is not available from the module proxy: put ${missing.join(' and ')} into ${BIN}`)
    return
  }
  const client = join(directory, 'client')
  cpSync(CLIENT, join(client, 'main.go'))
  const sources = { maestro: `${MODULE}/cmd/maestro`, 'maestro-client': './client' }
  for (const name of missing) buildProgram(directory, sources[name], name)
  console.log(`built ${missing.join(', ')} of ${MODULE} ${COMMIT}`)
}

function isAvailable(directory) {
  try {
    requireModule(directory, MODULE, COMMIT)
    return true
  } catch (error) {
    if (error.status === undefined) throw error
    return false
  }
}

/** Only on Debian and as root: elsewhere the tests report what to install. */
function installPackages() {
  const names = Object.keys(PACKAGES).filter((name) => !existsSync(PACKAGES[name]))
  if (names.length === 0 || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return
  execFileSync('apt-get', ['install', '--yes', '--no-install-recommends', ...names], { stdio: 'inherit' })
}

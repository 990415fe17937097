// Prepares clusteradm for the interop tests: `node tools/interop/prepare-clusteradm.mjs`. It is stored in
// .cache/interop/bin; an existing one stays. Run it after prepare.mjs.
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BIN = new URL('../../.cache/interop/bin/', import.meta.url).pathname
const PROGRAM = join(BIN, 'clusteradm')
const MODULE = 'open-cluster-management.io/clusteradm'
const RELEASE = 'v1.3.1'

function go(args, cwd, stdout = 'inherit') {
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }
  return execFileSync('go', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', stdout, 'inherit'] })
}

function build(directory) {
  // The release that prepare.mjs has found: a module proxy need not have the one that clusteradm requires.
  const ocm = readFileSync(join(BIN, 'release'), 'utf8').trim()
  const replacement = `replace open-cluster-management.io/ocm => open-cluster-management.io/ocm ${ocm}`
  writeFileSync(join(directory, 'go.mod'), `module interop\n\ngo 1.25\n\n${replacement}\n`)
  go(['get', `${MODULE}@${RELEASE}`], directory)
  const source = go(['list', '-m', '-f', '{{.Dir}}', MODULE], directory, 'pipe').trim()
  appendFileSync(join(directory, 'go.sum'), readFileSync(join(source, 'go.sum')))
  const target = join(directory, 'clusteradm')
  go(['build', '-ldflags', '-s -w', '-o', target, `${MODULE}/cmd/clusteradm`], directory)
  renameSync(target, PROGRAM)
}

if (existsSync(PROGRAM)) {
  console.log('clusteradm is there')
} else {
  const directory = mkdtempSync(join(BIN, '.build-'))
  try {
    build(directory)
    console.log(`built clusteradm ${RELEASE}`)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

// Prepares the kubectl binaries for the peer tests: `node tools/peers/kubectl.mjs`. They are stored in
// .cache/peers/bin/kubectl-<minor>; existing ones stay.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, run } from './run.mjs'

const BIN = new URL('../../.cache/peers/bin/', import.meta.url).pathname

/** Clients up to 1.31 send JSON, newer ones protobuf; 1.20 also has no field validation and no OpenAPI v3. */
const BUILDS = [
  { minor: '27', module: 'v0.27.16' },
  { minor: '31', module: 'v0.31.14' },
  { minor: '37', module: 'v0.37.2' },
]

const MAIN = `package main

import (
	"os"

	_ "k8s.io/client-go/plugin/pkg/client/auth"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

func main() { os.Exit(cli.Run(cmd.NewDefaultKubectlCommand())) }
`

function inScratch(work) {
  const directory = mkdtempSync(join(tmpdir(), 'orrery-kubectl-'))
  try {
    work(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Debian's package is unpacked, not installed: the machine may have its own kubectl. */
function unpackDebian(target) {
  inScratch((directory) => {
    run('apt-get', ['download', 'kubernetes-client'], { cwd: directory })
    const archive = readdirSync(directory).find((name) => name.endsWith('.deb'))
    if (archive === undefined) fail('apt-get download left no package')
    run('dpkg', ['-x', archive, 'unpacked'], { cwd: directory })
    copyFileSync(join(directory, 'unpacked/usr/bin/kubectl'), target)
  })
}

function build(module, target) {
  inScratch((directory) => {
    writeFileSync(join(directory, 'main.go'), MAIN)
    writeFileSync(join(directory, 'go.mod'), 'module kubectl\n')
    const environment = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }
    const modules = ['kubectl', 'component-base', 'client-go'].map((name) => `k8s.io/${name}@${module}`)
    run('go', ['get', ...modules], { cwd: directory, env: environment })
    const release = module.replace(/^v0/, 'v1')
    const flags = `-s -w -X k8s.io/component-base/version.gitVersion=${release}`
    run('go', ['build', '-trimpath', '-ldflags', flags, '-o', target, '.'], { cwd: directory, env: environment })
  })
}

mkdirSync(BIN, { recursive: true })
const missing = (minor) => !existsSync(join(BIN, `kubectl-${minor}`))
if (missing('20')) unpackDebian(join(BIN, 'kubectl-20'))
for (const { minor, module } of BUILDS) if (missing(minor)) build(module, join(BIN, `kubectl-${minor}`))

// Prepares the programs and clients for the peer tests: `node tools/peers/clients.mjs`. They are stored in
// .cache/peers. A program is rebuilt if its sources are newer; the rest stays.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepareWith, run } from './run.mjs'

const ROOT = new URL('../../', import.meta.url).pathname
const PEERS = join(ROOT, '.cache/peers')
const SOURCES = join(ROOT, 'tests/clients')
const PYTHON_CLIENT = 'kubernetes==37.0.2'
/** With a version, so that the machine's Maven does not choose one. */
const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'

function newest(directory) {
  const files = readdirSync(directory, { withFileTypes: true })
  const times = files.map((file) => {
    const path = join(directory, file.name)
    return file.isDirectory() ? newest(path) : statSync(path).mtimeMs
  })
  return Math.max(...times)
}

/** The file to build for a source directory; undefined if it exists. */
function wanted(file, source) {
  const target = join(PEERS, 'bin', file)
  return existsSync(target) && statSync(target).mtimeMs > newest(source) ? undefined : target
}

function buildGo(name) {
  const source = join(SOURCES, 'go', name)
  const target = wanted(`go-${name}`, source)
  if (target === undefined) return
  const options = { cwd: source, env: { ...process.env, CGO_ENABLED: '0' } }
  run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', target, '.'], options)
}

/** cert-manager's CRDs are in the module of its controllers. */
function copyDefinitions() {
  const module = 'github.com/cert-manager/cert-manager'
  const target = join(PEERS, 'cert-manager')
  const options = { cwd: join(SOURCES, 'go/programs'), encoding: 'utf8' }
  const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], options))
  const source = join(Dir, 'deploy/crds')
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target)
  for (const file of readdirSync(source)) {
    if (!file.endsWith('.yaml')) continue
    copyFileSync(join(source, file), join(target, file))
    chmodSync(join(target, file), 0o644)
  }
}

function installPython() {
  const directory = join(PEERS, 'python')
  const mark = join(directory, `${PYTHON_CLIENT}.installed`)
  if (existsSync(mark)) return
  run('python3', ['-m', 'venv', '--clear', directory])
  run(join(directory, 'bin/pip'), ['install', '--quiet', PYTHON_CLIENT])
  mkdirSync(mark)
}

function buildJava() {
  const source = join(SOURCES, 'java')
  const target = wanted('java-fabric8', source)
  if (target === undefined) return
  const directory = join(PEERS, 'java')
  rmSync(directory, { recursive: true, force: true })
  const copy = ['-B', '-q', MAVEN_COPY, `-DoutputDirectory=${directory}/lib`, '-DincludeScope=runtime']
  run('mvn', copy, { cwd: source })
  run('javac', ['-d', `${directory}/classes`, '-cp', `${directory}/lib/*`, 'src/Main.java'], { cwd: source })
  writeFileSync(target, `#!/bin/sh\nexec java -cp '${directory}/classes:${directory}/lib/*' Main "$@"\n`, {
    mode: 0o755,
  })
}

function buildRust() {
  const source = join(SOURCES, 'rust')
  const target = wanted('rust-kube', source)
  if (target === undefined) return
  const directory = join(PEERS, 'rust')
  const env = { ...process.env, CARGO_TARGET_DIR: directory }
  run('cargo', ['build', '--quiet', '--locked'], { cwd: source, env })
  copyFileSync(join(directory, 'debug/rust-kube'), target)
}

mkdirSync(join(PEERS, 'bin'), { recursive: true })
// The modules of the others are made by the preparation of the interop tests.
const modules = readdirSync(join(SOURCES, 'go')).filter((name) => existsSync(join(SOURCES, 'go', name, 'go.mod')))
for (const name of modules) buildGo(name)
copyDefinitions()
installPython()
prepareWith('java-fabric8', ['java', 'javac', 'mvn'], buildJava)
prepareWith('rust-kube', ['cargo'], buildRust)

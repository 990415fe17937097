// Prepares the Go programs and the Python client that the peer tests run: `node tools/peers/clients.mjs`.
// They go to .cache/peers. A Go program is built again when its sources are newer; the rest is left alone once there.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = new URL('../../', import.meta.url).pathname
const PEERS = join(ROOT, '.cache/peers')
const GO_SOURCES = join(ROOT, 'tests/clients/go')
const PYTHON_CLIENT = 'kubernetes==37.0.2'

function run(command, args, options = {}) {
  try {
    execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'], ...options })
  } catch (error) {
    if (error.code === 'ENOENT') console.error(`${command} is not installed: it is needed to prepare the peer tests`)
    else console.error(`${command} ${args.join(' ')} failed`)
    process.exit(1)
  }
}

function newest(directory) {
  return Math.max(...readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs))
}

function buildGo(name) {
  const source = join(GO_SOURCES, name)
  const target = join(PEERS, 'bin', `go-${name}`)
  if (existsSync(target) && statSync(target).mtimeMs > newest(source)) return
  const environment = { ...process.env, CGO_ENABLED: '0' }
  run('go', ['build', '-ldflags', '-s -w', '-o', target, '.'], { cwd: source, env: environment })
}

function installPython() {
  const directory = join(PEERS, 'python')
  const mark = join(directory, `${PYTHON_CLIENT}.installed`)
  if (existsSync(mark)) return
  run('python3', ['-m', 'venv', '--clear', directory])
  run(join(directory, 'bin/pip'), ['install', '--quiet', PYTHON_CLIENT])
  mkdirSync(mark)
}

mkdirSync(join(PEERS, 'bin'), { recursive: true })
for (const name of readdirSync(GO_SOURCES)) buildGo(name)
installPython()

import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const ORRERY = here('../../packages/cli/bin/orrery.js')

/** A free port. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A server process that is ready. */
class Server {
  #child

  constructor(child, port, readyAfter) {
    this.#child = child
    this.port = port
    /** Milliseconds from the start of the process to its ready message. */
    this.readyAfter = readyAfter
  }

  get pid() {
    return this.#child.pid
  }

  async stop() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }
}

async function start(args, environment, port) {
  const begin = performance.now()
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`${args[0]} ended with ${code} before it was ready`)
  })
  await Promise.race([sawReady(child.stdout), exited])
  exited.catch(() => undefined)
  return new Server(child, port, performance.now() - begin)
}

async function sawReady(output) {
  for await (const text of output.setEncoding('utf8')) if (text.includes('ready')) break
}

/** Our API server, as a user starts it. */
export async function startOrrery(data, port = undefined) {
  const chosen = port ?? (await freePort())
  const args = [ORRERY, 'apiserver', '--data', data, '--port', String(chosen), '--log-level', 'error']
  return start(args, {}, chosen)
}

/** A program of `peers/`, with the certificates of our server. */
export async function startPeer(name, data, pki) {
  mkdirSync(data, { recursive: true })
  const port = await freePort()
  return start([here(`peers/${name}.mjs`)], { BENCH_DATA: data, BENCH_PKI: pki, BENCH_PORT: String(port) }, port)
}

/** The connection parameters of a server, for the administrator. */
export function targetOf(server, pki) {
  const file = (name) => readFileSync(join(pki, name), 'utf8')
  return { host: '127.0.0.1', port: server.port, ca: file('ca.crt'), cert: file('admin.crt'), key: file('admin.key') }
}

/** A helper process that answers one message with one message. */
export class Helper {
  #child

  constructor(script) {
    this.#child = fork(here(script))
  }

  ask(message) {
    this.#child.send(message)
    return this.next()
  }

  /** The next message. Rejects if the process ends instead. */
  next() {
    return new Promise((resolve, reject) => {
      const done = (answer) => {
        this.#child.off('exit', failed)
        resolve(answer)
      }
      const failed = () => {
        this.#child.off('message', done)
        reject(new Error('a helper process failed'))
      }
      this.#child.once('message', done)
      this.#child.once('exit', failed)
    })
  }

  stop() {
    this.#child.kill()
  }
}

/** Resident memory of a process in MiB. */
export function residentMemory(pid) {
  return statusField(pid, 'VmRSS') / 1024
}

function statusField(pid, name) {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
}

const TICKS_PER_SECOND = 100

/** CPU seconds of a process, including all its threads. */
export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

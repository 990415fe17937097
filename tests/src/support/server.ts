import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parse } from 'yaml'

const CLI = new URL('../../../packages/cli/bin/orrery.js', import.meta.url).pathname

/** The server as a user runs it: its own process, over TLS, with a data directory. */
export interface ServerProcess {
  readonly url: string
  readonly dataDirectory: string
  readonly kubeconfig: string
  readonly process: ChildProcess
  /** The PEM in the kubeconfig. */
  readonly credentials: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer }
  /** Its standard error so far: its log. */
  log(): string
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface ServerOptions {
  /** Default: a new one, removed after the test. */
  readonly dataDirectory?: string
  readonly arguments?: readonly string[]
  readonly nodeArguments?: readonly string[]
  /** The limit of open files and sockets. */
  readonly descriptors?: number
}

/** Starts a server for one test and stops it afterwards. Resolves when it is ready. */
export async function startServer(t: Pick<TestContext, 'after'>, options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDirectory = options.dataDirectory ?? (await temporaryDirectory(t))
  const server = await spawnServer(dataDirectory, options)
  afterwards(t, () => server.stop())
  return server
}

export async function temporaryDirectory(t: Pick<TestContext, 'after'>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'orrery-test-'))
  afterwards(t, () => rm(directory, { recursive: true, force: true }))
  return directory
}

type Step = () => void | Promise<void>

const cleanUps = new WeakMap<Pick<TestContext, 'after'>, Step[]>()

/** Runs a step after the test, in reverse order: a server stops before its directory is removed. `after` would not. */
export function afterwards(t: Pick<TestContext, 'after'>, step: Step): void {
  const known = cleanUps.get(t)
  if (known !== undefined) {
    known.push(step)
    return
  }
  const steps = [step]
  cleanUps.set(t, steps)
  t.after(async () => {
    for (const one of steps.toReversed()) await one()
  })
}

async function spawnServer(dataDirectory: string, options: ServerOptions): Promise<ServerProcess> {
  const args = [CLI, 'apiserver', '--data', dataDirectory, '--port', '0', ...(options.arguments ?? [])]
  const command = [process.execPath, ...(options.nodeArguments ?? []), ...args]
  const child =
    options.descriptors === undefined
      ? spawn(process.execPath, command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'] })
      : spawn('sh', ['-c', `ulimit -n ${options.descriptors} && exec "$0" "$@"`, ...command], {
          stdio: ['ignore', 'pipe', 'pipe'],
        })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const url = await readyUrl(child, () => log)
  const kubeconfig = join(dataDirectory, 'kubeconfig')
  return {
    url,
    dataDirectory,
    kubeconfig,
    process: child,
    credentials: await readCredentials(kubeconfig),
    log: () => log,
    async stop(signal = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      await exited
    },
  }
}

function readyUrl(child: ChildProcess, log: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const match = /ready at (\S+)/.exec(out)
      if (match?.[1] !== undefined) resolve(match[1])
    })
    child.once('exit', (code) =>
      reject(new Error(`the server ended with ${code} before it was ready:\n${out}${log()}`)),
    )
  })
}

interface Kubeconfig {
  clusters: { cluster: { 'certificate-authority-data': string } }[]
  users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[]
}

async function readCredentials(file: string): Promise<ServerProcess['credentials']> {
  const config = parse(await readFile(file, 'utf8')) as Kubeconfig
  const pem = (text: string | undefined) => Buffer.from(text ?? '', 'base64')
  const user = config.users[0]?.user
  return {
    ca: pem(config.clusters[0]?.cluster['certificate-authority-data']),
    cert: pem(user?.['client-certificate-data']),
    key: pem(user?.['client-key-data']),
  }
}

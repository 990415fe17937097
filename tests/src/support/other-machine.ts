import { execFileSync, spawn } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import type { TestContext } from 'node:test'

/** A simulated other machine that reaches this one over a network. */
export interface OtherMachine {
  /** The address of this machine from there. */
  readonly address: string
  /** The prefix of commands that run there. */
  readonly prefix: readonly string[]
}

/**
 * A network namespace with a link to this one, if the system allows it; else this machine itself, with an address
 * that is not a loopback one. Undefined if there is none.
 */
export async function otherMachine(t: TestContext): Promise<OtherMachine | undefined> {
  return (await namespace(t)) ?? ownAddress()
}

function ownAddress(): OtherMachine | undefined {
  const found = Object.values(networkInterfaces())
    .flatMap((one) => one ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')
  return found && { address: found.address, prefix: [] }
}

async function namespace(t: TestContext): Promise<OtherMachine | undefined> {
  if (process.platform !== 'linux') return undefined
  // Any network would do; this one depends on the process, so that concurrent tests have their own.
  const number = process.pid % 16_384
  const network = `10.213.${number >> 6}.${(number & 63) << 2}`.split('.')
  const [here, there] = [1, 2].map((host) => network.with(3, String(Number(network[3]) + host)).join('.'))
  const [near, far] = [`oh${process.pid}`, `ot${process.pid}`]
  const holder = spawn('unshare', ['--net', 'sleep', 'infinity'], { stdio: 'ignore' })
  const gone = new Promise<void>((resolve) => {
    holder.once('error', () => resolve())
    holder.once('exit', () => resolve())
  })
  t.after(async () => {
    holder.kill('SIGKILL')
    await gone
  })
  const run = (file: string, ...args: string[]) => execFileSync(file, args, { stdio: 'ignore' })
  const inside = ['nsenter', '--target', String(holder.pid), '--net'] as const
  const [enter, ...enterArgs] = inside
  try {
    await isApart(holder.pid, gone)
    run('ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', String(holder.pid))
    run('ip', 'address', 'add', `${here}/30`, 'dev', near)
    run('ip', 'link', 'set', near, 'up')
    run(enter, ...enterArgs, 'ip', 'address', 'add', `${there}/30`, 'dev', far)
    run(enter, ...enterArgs, 'ip', 'link', 'set', far, 'up')
    run(enter, ...enterArgs, 'ip', 'link', 'set', 'lo', 'up')
    return { address: here as string, prefix: inside }
  } catch {
    // The programs are missing or not allowed.
    return undefined
  }
}

/** Resolves when a process has left this network namespace. */
async function isApart(pid: number | undefined, gone: Promise<void>): Promise<void> {
  const { readlink } = await import('node:fs/promises')
  const own = await readlink('/proc/self/ns/net')
  let isGone = false
  void gone.then(() => {
    isGone = true
  })
  while ((await readlink(`/proc/${pid}/ns/net`)) === own) {
    if (isGone) throw new Error('it could not')
    await new Promise((resolve) => setImmediate(resolve))
  }
}

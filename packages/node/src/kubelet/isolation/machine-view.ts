import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** A file or directory of the machine that a sandbox shows read-only. */
export interface Shown {
  /** The path on the machine, with links resolved. */
  readonly source: string
  /** The path in the sandbox. */
  readonly target: string
  readonly isDirectory: boolean
}

/** The files of the machine that every sandbox shows: enough to run programs, and no files of users or services. */
export interface MachineView {
  readonly shown: readonly Shown[]
  /** Symbolic links to create, such as `/bin` to `usr/bin`. */
  readonly links: readonly { readonly path: string; readonly target: string }[]
  /** Files to copy. Each sandbox has its own `/etc`, so that volumes can be mounted in it. */
  readonly copies: readonly string[]
  /** Files below `/proc`, other than those of processes, that root can write: the settings of the kernel. */
  readonly kernelFiles: readonly string[]
}

const DIRECTORIES = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix',
  '/gnu',
  '/run/current-system',
  '/etc/alternatives',
  '/etc/ca-certificates',
  '/etc/crypto-policies',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/ssl/certs',
]

const FILES = [
  '/etc/gai.conf',
  '/etc/group',
  '/etc/host.conf',
  '/etc/hosts',
  '/etc/ld-musl-aarch64.path',
  '/etc/ld-musl-x86_64.path',
  '/etc/ld.so.cache',
  '/etc/localtime',
  '/etc/mime.types',
  '/etc/nsswitch.conf',
  '/etc/os-release',
  '/etc/passwd',
  '/etc/pki/tls/cert.pem',
  '/etc/pki/tls/openssl.cnf',
  '/etc/protocols',
  '/etc/resolv.conf',
  '/etc/services',
  '/etc/ssl/cert.pem',
  '/etc/ssl/openssl.cnf',
  '/etc/timezone',
]

const WRITABLE = 0o222

/** Reads the layout of the machine. */
export async function viewMachine(): Promise<MachineView> {
  const shown: Shown[] = []
  const links: { path: string; target: string }[] = []
  for (const path of DIRECTORIES) {
    const found = await lstat(path).catch(() => undefined)
    if (found?.isSymbolicLink() === true) links.push({ path, target: await readlink(path) })
    else if (found?.isDirectory() === true) {
      shown.push({ source: await realpath(path), target: path, isDirectory: true })
    }
  }
  const copies: string[] = []
  for (const path of FILES) if ((await lstat(path).catch(() => undefined)) !== undefined) copies.push(path)
  return { shown, links, copies, kernelFiles: await kernelFiles() }
}

async function kernelFiles(): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of await readdir('/proc')) {
    const path = join('/proc', name)
    const entry = /^\d+$/.test(name) ? undefined : await lstat(path).catch(() => undefined)
    if (entry === undefined || entry.isSymbolicLink()) continue
    if (entry.isDirectory() || (entry.mode & WRITABLE) !== 0) found.push(path)
  }
  return found
}

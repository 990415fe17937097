import { createHash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { arch, availableParallelism, hostname, networkInterfaces, platform, release, totalmem, type } from 'node:os'
import type { NodeSystemInfo } from '@orrery/kinds'
import { isDNS1123Subdomain } from '@orrery/kinds/values'
import { RUNTIME } from '../container/image.js'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' }
/** What kubelets keep back by default before they evict pods. */
const KEPT_MEMORY = 100 * 1024 * 1024
const KEPT_DISK = 0.1

export type Resources = Readonly<Record<string, string>>

/** The architecture and operating system in Go's words, as Kubernetes has them. */
export function platformOf(): { readonly architecture: string; readonly operatingSystem: string } {
  return { architecture: ARCHITECTURES[arch()] ?? arch(), operatingSystem: SYSTEMS[platform()] ?? platform() }
}

/** The address of this machine on its network; the loopback's when it has none. */
export function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** A name for a node on this machine. */
export function machineName(): string {
  const name = hostname().toLowerCase()
  return isDNS1123Subdomain(name).length === 0 ? name : 'node'
}

/** What this machine has. `given` takes the place of what is found. */
export async function capacityOf(directory: string, maxPods: number, given: Resources): Promise<Resources> {
  const { blocks, bsize } = await statfs(directory)
  return {
    cpu: String(availableParallelism()),
    memory: `${Math.floor(totalmem() / 1024)}Ki`,
    'ephemeral-storage': `${Math.floor((blocks * bsize) / 1024)}Ki`,
    pods: String(maxPods),
    ...given,
  }
}

/** What pods can have of it. What was given is given whole. */
export function allocatableOf(capacity: Resources, given: Resources): Resources {
  const kibibytes = (name: string) => Number.parseInt(capacity[name] ?? '0', 10)
  return {
    ...capacity,
    memory: `${Math.max(0, kibibytes('memory') - KEPT_MEMORY / 1024)}Ki`,
    'ephemeral-storage': String(Math.floor(kibibytes('ephemeral-storage') * 1024 * (1 - KEPT_DISK))),
    ...given,
  }
}

/** What kind of node this is. Nodes of the same name on the same machine have the same ids. */
export function systemInfo(name: string, serverVersion: string): NodeSystemInfo {
  const id = createHash('sha256').update(`${hostname()} ${name}`).digest('hex')
  const { architecture, operatingSystem } = platformOf()
  return {
    machineID: id.slice(0, 32),
    systemUUID: `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20, 32)}`,
    bootID: `${id.slice(32, 40)}-${id.slice(40, 44)}-${id.slice(44, 48)}-${id.slice(48, 52)}-${id.slice(52, 64)}`,
    kernelVersion: release(),
    osImage: `${type()} with Node.js ${process.versions.node}`,
    containerRuntimeVersion: `${RUNTIME}://0.1.0`,
    kubeletVersion: serverVersion,
    kubeProxyVersion: serverVersion,
    operatingSystem,
    architecture,
  }
}

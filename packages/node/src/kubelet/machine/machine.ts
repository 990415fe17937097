import { createHash } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import { arch, availableParallelism, hostname, networkInterfaces, platform, release, totalmem, type } from 'node:os'
import type { NodeSystemInfo } from '@orrery/kinds'
import { isDNS1123Subdomain } from '@orrery/kinds/values'
import { RUNTIME } from '../container/image.js'

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' }
const SYSTEMS: Readonly<Record<string, string>> = { win32: 'windows' }
/** The kubelet's default eviction threshold for memory. */
const KEPT_MEMORY = 100 * 1024 * 1024
const KEPT_DISK = 0.1

export type Resources = Readonly<Record<string, string>>

/** Returns the architecture and operating system by Go's names, as Kubernetes uses them. */
export function platformOf(): { readonly architecture: string; readonly operatingSystem: string } {
  return { architecture: ARCHITECTURES[arch()] ?? arch(), operatingSystem: SYSTEMS[platform()] ?? platform() }
}

/** Returns the address of this machine on its network; the loopback address if it has none. */
export function machineAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1'
}

/** Returns a node name derived from the host name. */
export function machineName(): string {
  const name = hostname().toLowerCase()
  return isDNS1123Subdomain(name).length === 0 ? name : 'node'
}

/** Returns the capacity of this machine. `given` overrides detected values. */
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

/** Returns the allocatable resources. Values from `given` are allocatable in full. */
export function allocatableOf(capacity: Resources, given: Resources): Resources {
  const kibibytes = (name: string) => Number.parseInt(capacity[name] ?? '0', 10)
  return {
    ...capacity,
    memory: `${Math.max(0, kibibytes('memory') - KEPT_MEMORY / 1024)}Ki`,
    'ephemeral-storage': String(Math.floor(kibibytes('ephemeral-storage') * 1024 * (1 - KEPT_DISK))),
    ...given,
  }
}

/** Returns the `nodeInfo` of a node. Nodes with the same name on the same machine have the same IDs. */
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

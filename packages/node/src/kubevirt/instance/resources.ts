import type { ResourceQuota, ResourceRequirements } from '@orrery/kinds'
import { parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { InstanceSpec } from '../kinds/instance-spec.js'

const MEBIBYTE = 1024 * 1024
/** The memory of the processes in a launcher pod: virt-launcher-monitor, virt-launcher, virtlogd, virtqemud and QEMU. */
const LAUNCHER_MEBIBYTES = 25 + 100 + 25 + 40 + 50
const MEBIBYTES_PER_VCPU = 8
const IO_THREAD_MEBIBYTES = 8
const VIDEO_MEBIBYTES = 32
const ARM_FIRMWARE_MEBIBYTES = 128
/** A page table has one byte for 512 bytes of memory. */
const PAGE_TABLE_SHARE = 512
/** A vCPU requests a tenth of a CPU. */
const MILLICPU_PER_VCPU = 100
/** The limit of the memory, if a quota requires one, is this multiple of the request. */
const LIMIT_RATIO = 2

/** Returns the number of vCPUs of a guest. */
export function vcpusOf({ domain: { cpu } }: Pick<InstanceSpec, 'domain'>): number {
  return Math.max(1, (cpu?.sockets || 1) * (cpu?.cores || 1) * (cpu?.threads || 1))
}

/** Returns the memory that a launcher pod needs besides the memory of the guest, in bytes. */
function overheadOf(spec: Pick<InstanceSpec, 'domain' | 'architecture'>): number {
  const { devices } = spec.domain
  const mebibytes =
    LAUNCHER_MEBIBYTES +
    MEBIBYTES_PER_VCPU * vcpusOf(spec) +
    IO_THREAD_MEBIBYTES +
    (devices.autoattachGraphicsDevice === false ? 0 : VIDEO_MEBIBYTES) +
    (spec.architecture === 'arm64' ? ARM_FIRMWARE_MEBIBYTES : 0)
  return mebibytes * MEBIBYTE + Math.floor(guestMemory(spec) / PAGE_TABLE_SHARE)
}

/** Returns the resources of the compute container. Quotas of the namespace decide whether it has limits. */
export function computeResources(spec: InstanceSpec, quotas: readonly ResourceQuota[]): ResourceRequirements {
  const { requests = {}, limits = {}, overcommitGuestOverhead = false } = spec.domain.resources ?? {}
  const vcpus = vcpusOf(spec)
  const overhead = overheadOf(spec)
  const memory = bytesOf(requests.memory) ?? guestMemory(spec)
  const request = memory + (overcommitGuestOverhead ? 0 : overhead)
  const isLimited = (name: string) => quotas.some(({ spec: quota }) => quota?.hard?.[name] !== undefined)
  const limited: Record<string, string> = {}
  if (limits.cpu !== undefined) limited.cpu = String(limits.cpu)
  else if (isLimited('limits.cpu')) limited.cpu = String(vcpus)
  const limit = bytesOf(limits.memory)
  if (limit !== undefined) limited.memory = mebibytesText(limit + overhead)
  else if (isLimited('limits.memory')) limited.memory = mebibytesText(request * LIMIT_RATIO)
  const cpu = requests.cpu === undefined ? `${vcpus * MILLICPU_PER_VCPU}m` : String(requests.cpu)
  return {
    requests: { cpu, memory: mebibytesText(request) },
    ...(Object.keys(limited).length > 0 && { limits: limited }),
  }
}

/** Returns the memory of a guest in bytes. */
export function guestMemory({ domain: { memory, resources } }: Pick<InstanceSpec, 'domain'>): number {
  return bytesOf(memory?.guest) ?? bytesOf(resources?.requests?.memory) ?? bytesOf(resources?.limits?.memory) ?? 0
}

function bytesOf(quantity: string | number | undefined): number | undefined {
  return quantity === undefined ? undefined : quantityToNumber(parseQuantity(String(quantity)))
}

function mebibytesText(bytes: number): string {
  return `${Math.ceil(bytes / MEBIBYTE)}Mi`
}

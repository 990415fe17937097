import type { Draft } from '@orrery/kinds'
import { parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type {
  PowerState,
  TemplateImage,
  TemplateKernelBoot,
  TemplateRecord,
  VmCreateRequest,
} from '../../wire/index.js'
import { OperationError } from '../execution/operation-error.js'
import { MANAGED_BY_OVIM, VM_ANNOTATIONS, VM_LABELS } from '../names.js'
import type { VirtualMachine } from './kinds.js'

const DEFAULT_CPU = '1'
const DEFAULT_MEMORY = '1Gi'
const DISK = 'disk0'
const CLOUD_INIT = 'cloudinit'

/** The size of a machine: what was requested, else what the template has. */
export interface VmSize {
  readonly cpu: string
  readonly memory: string
  /** Absent: the disk is ephemeral. */
  readonly storage?: string
}

export function sizeOf(request: VmCreateRequest, template: TemplateRecord): VmSize {
  const storage = request.storage ?? template.storage
  return {
    cpu: request.cpu ?? template.cpu ?? DEFAULT_CPU,
    memory: request.memory ?? template.memory ?? DEFAULT_MEMORY,
    ...(storage !== undefined && { storage }),
  }
}

/** The name of the Secret with the cloud-init data of a machine. */
export function cloudInitName(vmName: string): string {
  return `${vmName}-cloud-init`
}

/** The cloud-init data of a machine; undefined if it has none. */
export function cloudInitData(request: VmCreateRequest, template: TemplateRecord): Record<string, string> | undefined {
  const { user_data = '', network_data } = request.cloud_init ?? template.cloud_init ?? {}
  const keys = request.ssh_keys ?? []
  if (user_data === '' && network_data === undefined && keys.length === 0) return undefined
  return { userdata: withKeys(user_data, keys), ...(network_data !== undefined && { networkdata: network_data }) }
}

/** Adds public keys. cloud-init takes several parts as one MIME message, so that scripts can have keys too. */
function withKeys(userData: string, keys: readonly string[]): string {
  if (keys.length === 0) return userData
  const list = keys.map((key) => `  - ${JSON.stringify(key.trim())}`).join('\n')
  const keyPart = `#cloud-config\nssh_authorized_keys:\n${list}\n`
  if (userData.trim() === '') return keyPart
  const boundary = '===============ovim-parts=='
  const part = (type: string, text: string) =>
    `--${boundary}\nContent-Type: ${type}; charset="utf-8"\nMIME-Version: 1.0\nMerge-Type: list(append)+dict(recurse_array)+str()\n\n${text}\n`
  const type = userData.startsWith('#cloud-config') ? 'text/cloud-config' : 'text/x-shellscript'
  return [
    `Content-Type: multipart/mixed; boundary="${boundary}"\nMIME-Version: 1.0\n\n`,
    part('text/cloud-config', keyPart),
    part(type, userData),
    `--${boundary}--\n`,
  ].join('')
}

function firmwareOf({ image, kernel_path, initrd_path, kernel_args }: TemplateKernelBoot) {
  const container = { image, kernelPath: kernel_path, ...(initrd_path !== undefined && { initrdPath: initrd_path }) }
  return { kernelBoot: { container, ...(kernel_args !== undefined && { kernelArgs: kernel_args }) } }
}

/** The VirtualMachine of a request. It runs at once unless it should be stopped or paused. */
export function buildVirtualMachine(
  request: VmCreateRequest,
  template: TemplateRecord,
  operationId: string,
): Draft<VirtualMachine> {
  const size = sizeOf(request, template)
  const labels = { ...request.labels, [VM_LABELS.managedBy]: MANAGED_BY_OVIM, [VM_LABELS.vmName]: request.name }
  const disk = rootDisk(request.name, template, size)
  const hasCloudInit = cloudInitData(request, template) !== undefined
  const networks = networksOf(request, template)
  const nodeSelector = nodeSelectorOf(template)
  return {
    metadata: {
      name: request.name,
      namespace: request.namespace,
      labels,
      annotations: {
        ...request.annotations,
        [VM_ANNOTATIONS.template]: request.template_name,
        [VM_ANNOTATIONS.createOperation]: operationId,
        [VM_ANNOTATIONS.lastOperation]: operationId,
      },
    },
    spec: {
      runStrategy: runStrategyOf(request.power_state ?? 'Running'),
      ...(disk.template !== undefined && { dataVolumeTemplates: [disk.template] }),
      template: {
        metadata: { labels },
        spec: {
          domain: {
            cpu: { cores: coresOf(size.cpu) },
            memory: { guest: size.memory },
            ...(template.kernel_boot !== undefined && { firmware: firmwareOf(template.kernel_boot) }),
            resources: { requests: { cpu: size.cpu, memory: size.memory } },
            devices: {
              disks: [
                { name: DISK, disk: { bus: 'virtio' } },
                ...(hasCloudInit ? [{ name: CLOUD_INIT, disk: { bus: 'virtio' } }] : []),
              ],
              interfaces: networks.map(({ name, binding }) => ({ name, [binding]: {} })),
            },
          },
          networks: networks.map(({ name, source }) => ({ name, ...source })),
          volumes: [{ name: DISK, ...disk.source }, ...(hasCloudInit ? [cloudInitVolume(request, template)] : [])],
          ...(nodeSelector !== undefined && { nodeSelector }),
        },
      },
    },
  }
}

/** A paused machine is created halted, and then started paused. */
function runStrategyOf(powerState: PowerState): string {
  return powerState === 'Running' ? 'Always' : 'Halted'
}

/** KubeVirt gives a guest whole cores. */
export function coresOf(cpu: string): number {
  return Math.max(1, Math.ceil(quantityToNumber(parseQuantity(cpu))))
}

interface RootDisk {
  readonly source: object
  readonly template?: { readonly metadata: { readonly name: string }; readonly spec: object }
}

/** A container disk without storage is ephemeral; everything else is a DataVolume, which keeps its data. */
function rootDisk(vmName: string, template: TemplateRecord, { storage }: VmSize): RootDisk {
  const { image } = template
  if (image.container_disk !== undefined && storage === undefined) {
    return { source: { containerDisk: { image: image.container_disk } } }
  }
  if (storage === undefined) {
    const message = `payload.storage: Required value: template "${template.name}" has no storage size, and its image needs one`
    throw new OperationError('InvalidPayload', message)
  }
  const name = `${vmName}-${DISK}`
  const storageClass = template.requirements?.storage_class
  return {
    source: { dataVolume: { name } },
    template: {
      metadata: { name },
      spec: {
        source: dataVolumeSource(image),
        storage: {
          resources: { requests: { storage } },
          ...(storageClass !== undefined && { storageClassName: storageClass }),
        },
      },
    },
  }
}

function dataVolumeSource({ container_disk, http, registry, pvc }: TemplateImage): object {
  if (http !== undefined) return { http: { url: http } }
  if (pvc !== undefined) return { pvc }
  const url = registry ?? container_disk ?? ''
  return { registry: { url: url.includes('://') ? url : `docker://${url}` } }
}

interface Network {
  readonly name: string
  readonly binding: string
  readonly source: object
}

function networksOf(request: VmCreateRequest, template: TemplateRecord): Network[] {
  if (request.network_name !== undefined) {
    return [{ name: 'net0', binding: 'bridge', source: { multus: { networkName: request.network_name } } }]
  }
  const networks = template.networks ?? []
  if (networks.length === 0) return [{ name: 'default', binding: 'masquerade', source: { pod: {} } }]
  return networks.map(({ name, network_name, binding }) => ({
    name,
    binding: binding ?? (network_name === undefined ? 'masquerade' : 'bridge'),
    source: network_name === undefined ? { pod: {} } : { multus: { networkName: network_name } },
  }))
}

function cloudInitVolume(request: VmCreateRequest, template: TemplateRecord): object {
  const secret = { name: cloudInitName(request.name) }
  const data = cloudInitData(request, template)
  const hasNetwork = data?.networkdata !== undefined
  return {
    name: CLOUD_INIT,
    cloudInitNoCloud: { secretRef: secret, ...(hasNetwork && { networkDataSecretRef: secret }) },
  }
}

function nodeSelectorOf({ requirements }: TemplateRecord): Record<string, string> | undefined {
  const selector = {
    ...requirements?.node_labels,
    ...(requirements?.architecture !== undefined && { 'kubernetes.io/arch': requirements.architecture }),
  }
  return Object.keys(selector).length === 0 ? undefined : selector
}

import { isDNS1123Label, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { InstanceSpec, Volume } from '../kinds/instance-spec.js'
import type { Causes } from './causes.js'

const CLOUD_INIT_BYTES = 2048

/** Checks the spec of an instance, or of the template of a VirtualMachine. */
export function checkInstanceSpec(spec: InstanceSpec, at: string, causes: Causes): void {
  checkDisks(spec, at, causes)
  checkVolumes(spec.volumes ?? [], `${at}.volumes`, causes)
  checkNetworks(spec, at, causes)
  checkResources(spec, at, causes)
  if (spec.startStrategy !== undefined && spec.startStrategy !== 'Paused') {
    causes.invalid(
      `${at}.startStrategy`,
      `${at}.startStrategy ${JSON.stringify(spec.startStrategy)} is not supported: use "Paused"`,
    )
  }
  if (spec.startStrategy === 'Paused' && spec.livenessProbe !== undefined) {
    causes.invalid(`${at}.startStrategy`, `${at}.startStrategy cannot be "Paused" together with a livenessProbe`)
  }
  const { hostname } = spec
  const [problem] = hostname === undefined ? [] : isDNS1123Label(hostname)
  if (problem !== undefined) causes.invalid(`${at}.hostname`, `${at}.hostname is not a DNS label: ${problem}`)
}

/** Every disk shows a volume. A volume without a disk gets one. */
function checkDisks({ domain, volumes = [] }: InstanceSpec, at: string, causes: Causes): void {
  const field = `${at}.domain.devices.disks`
  const names = new Set(volumes.map(({ name }) => name))
  const seen = new Set<string>()
  const orders = new Set<number>()
  for (const [index, disk] of (domain.devices.disks ?? []).entries()) {
    const path = `${field}[${index}]`
    if (!names.has(disk.name)) {
      causes.invalid(
        `${path}.name`,
        `${path}.name ${JSON.stringify(disk.name)} has no volume of that name in ${at}.volumes`,
      )
    }
    if (seen.has(disk.name))
      causes.invalid(`${path}.name`, `${path}.name ${JSON.stringify(disk.name)} is used by another disk`)
    seen.add(disk.name)
    const targets = [disk.disk, disk.lun, disk.cdrom].filter((target) => target !== undefined)
    if (targets.length > 1) causes.invalid(path, `${path} must have only one of disk, lun and cdrom`)
    if (disk.bootOrder === undefined) continue
    if (orders.has(disk.bootOrder)) {
      causes.invalid(`${path}.bootOrder`, `${path}.bootOrder ${disk.bootOrder} is used by another device`)
    }
    orders.add(disk.bootOrder)
  }
}

function checkVolumes(volumes: readonly Volume[], field: string, causes: Causes): void {
  for (const [index, volume] of volumes.entries()) {
    const path = `${field}[${index}]`
    const { name, ...sources } = volume
    if (volumes.findIndex((other) => other.name === name) < index) {
      causes.invalid(`${path}.name`, `${path}.name ${JSON.stringify(name)} is used by another volume`)
    }
    const given = Object.keys(sources).length
    if (given !== 1) causes.invalid(path, `${path} must have exactly one source, not ${given}`)
    checkCloudInit(volume, path, causes)
  }
}

function checkCloudInit({ cloudInitNoCloud, cloudInitConfigDrive }: Volume, path: string, causes: Causes): void {
  const source = cloudInitNoCloud ?? cloudInitConfigDrive
  if (source === undefined) return
  const field = `${path}.${cloudInitNoCloud === undefined ? 'cloudInitConfigDrive' : 'cloudInitNoCloud'}`
  const given = ['secretRef', 'userDataBase64', 'userData'].filter((key) => source[key] !== undefined)
  const networks = ['networkDataSecretRef', 'networkDataBase64', 'networkData'].filter(
    (key) => source[key] !== undefined,
  )
  if (given.length > 1) causes.invalid(field, `${field} must have only one of ${given.join(' and ')}`)
  if (networks.length > 1) causes.invalid(field, `${field} must have only one of ${networks.join(' and ')}`)
  if (given.length + networks.length === 0) {
    causes.required(field, `${field} needs userData, userDataBase64 or secretRef, or network data`)
  }
  const { userData } = source
  if (typeof userData === 'string' && Buffer.byteLength(userData) > CLOUD_INIT_BYTES) {
    causes.invalid(
      field,
      `${field}.userData has more than ${CLOUD_INIT_BYTES} bytes: put it into a Secret and use secretRef`,
    )
  }
}

/** Every interface connects to a network, and every network has an interface. */
function checkNetworks({ domain, networks = [] }: InstanceSpec, at: string, causes: Causes): void {
  const interfaces = domain.devices.interfaces ?? []
  const field = `${at}.domain.devices.interfaces`
  for (const [index, { name, masquerade, bridge }] of interfaces.entries()) {
    const path = `${field}[${index}]`
    const network = networks.find((one) => one.name === name)
    if (network === undefined) {
      causes.invalid(
        `${path}.name`,
        `${path}.name ${JSON.stringify(name)} has no network of that name in ${at}.networks`,
      )
    }
    if (interfaces.findIndex((other) => other.name === name) < index) {
      causes.invalid(`${path}.name`, `${path}.name ${JSON.stringify(name)} is used by another interface`)
    }
    if (masquerade !== undefined && bridge !== undefined) {
      causes.invalid(path, `${path} must have only one of bridge and masquerade`)
    }
    if (masquerade !== undefined && network !== undefined && network.pod === undefined) {
      causes.invalid(`${path}.masquerade`, `${path}.masquerade only works on the pod network`)
    }
  }
  for (const [index, network] of networks.entries()) {
    const path = `${at}.networks[${index}]`
    if (!interfaces.some(({ name }) => name === network.name)) {
      causes.invalid(
        `${path}.name`,
        `${path}.name ${JSON.stringify(network.name)} has no interface of that name in ${field}`,
      )
    }
    const { name: _, ...sources } = network
    if (Object.keys(sources).length !== 1) causes.invalid(path, `${path} must have exactly one of pod and multus`)
  }
  if (networks.filter(({ pod }) => pod !== undefined).length > 1) {
    causes.invalid(`${at}.networks`, `${at}.networks must have only one pod network`)
  }
}

function checkResources({ domain }: InstanceSpec, at: string, causes: Causes): void {
  const { resources, memory, cpu } = domain
  const field = `${at}.domain`
  const numberOf = (quantity: string | number | undefined) =>
    quantity === undefined ? undefined : quantityToNumber(parseQuantity(String(quantity)))
  for (const name of ['cpu', 'memory']) {
    const request = numberOf(resources?.requests?.[name])
    const limit = numberOf(resources?.limits?.[name])
    for (const [kind, value] of [
      ['requests', request],
      ['limits', limit],
    ] as const) {
      if (value === undefined || value >= 0) continue
      const path = `${field}.resources.${kind}.${name}`
      causes.invalid(path, `${path} must not be negative`)
    }
    if (request === undefined || limit === undefined || request <= limit) continue
    const path = `${field}.resources.requests.${name}`
    causes.invalid(path, `${path} is greater than ${field}.resources.limits.${name}`)
  }
  const guest = numberOf(memory?.guest)
  const wanted = guest ?? numberOf(resources?.requests?.memory) ?? numberOf(resources?.limits?.memory)
  if (wanted === undefined && memory?.hugepages === undefined) {
    causes.required(
      `${field}.memory.guest`,
      `${field} has no memory: set ${field}.memory.guest or ${field}.resources.requests.memory`,
    )
  }
  if (wanted !== undefined && wanted <= 0) {
    causes.invalid(`${field}.memory.guest`, `${field} must have more than 0 bytes of memory`)
  }
  const limit = numberOf(resources?.limits?.memory)
  if (guest !== undefined && limit !== undefined && guest > limit) {
    causes.invalid(`${field}.memory.guest`, `${field}.memory.guest is greater than ${field}.resources.limits.memory`)
  }
  if (
    cpu?.maxSockets !== undefined &&
    cpu.sockets !== undefined &&
    cpu.maxSockets > 0 &&
    cpu.sockets > cpu.maxSockets
  ) {
    causes.invalid(`${field}.cpu.sockets`, `${field}.cpu.sockets is greater than ${field}.cpu.maxSockets`)
  }
}

import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

export interface CloudInitGuest {
  readonly name: string
  readonly namespace: string
  readonly hostname: string
  /** Public SSH keys that cloud-init adds to the default user. */
  readonly sshKeys: readonly string[]
}

/** Reads the data of a Secret. */
export type ReadSecret = (name: string) => Promise<ReadonlyMap<string, Buffer>>

export interface CloudInitDisk {
  readonly label: string
  readonly files: ReadonlyMap<string, Buffer>
}

/** Returns the disk of cloud-init's data source NoCloud. */
export async function noCloudDisk(
  source: JsonObject,
  guest: CloudInitGuest,
  readSecret: ReadSecret,
): Promise<CloudInitDisk> {
  const metadata = {
    'instance-id': instanceId(guest),
    'local-hostname': guest.hostname,
    ...(guest.sshKeys.length > 0 && { 'public-keys': keysByIndex(guest) }),
  }
  const files = new Map([['meta-data', json(metadata)]])
  files.set('user-data', (await userData(source, readSecret)) ?? Buffer.alloc(0))
  const network = await networkData(source, readSecret)
  if (network !== undefined) files.set('network-config', network)
  return { label: 'cidata', files }
}

/** Returns the disk of cloud-init's data source ConfigDrive, in the layout of OpenStack. */
export async function configDrive(
  source: JsonObject,
  guest: CloudInitGuest,
  readSecret: ReadSecret,
): Promise<CloudInitDisk> {
  const metadata = {
    instance_id: instanceId(guest),
    uuid: instanceId(guest),
    hostname: guest.hostname,
    local_hostname: guest.hostname,
    ...(guest.sshKeys.length > 0 && { public_keys: keysByIndex(guest) }),
  }
  const files = new Map([['openstack/latest/meta_data.json', json(metadata)]])
  files.set('openstack/latest/user_data', (await userData(source, readSecret)) ?? Buffer.alloc(0))
  const network = await networkData(source, readSecret)
  if (network !== undefined) files.set('openstack/latest/network_data.json', network)
  return { label: 'config-2', files }
}

function instanceId({ name, namespace }: CloudInitGuest): string {
  return `${name}.${namespace}`
}

function keysByIndex({ sshKeys }: CloudInitGuest): Record<string, string> {
  return Object.fromEntries(sshKeys.map((key, index) => [String(index), key]))
}

function json(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`)
}

function userData(source: JsonObject, readSecret: ReadSecret): Promise<Buffer | undefined> {
  return textOf(source, ['userData', 'userDataBase64', 'secretRef'], ['userdata', 'userData'], readSecret)
}

function networkData(source: JsonObject, readSecret: ReadSecret): Promise<Buffer | undefined> {
  const fields = ['networkData', 'networkDataBase64', 'networkDataSecretRef'] as const
  return textOf(source, fields, ['networkdata', 'networkData'], readSecret)
}

async function textOf(
  source: JsonObject,
  [plain, encoded, reference]: readonly [string, string, string],
  keys: readonly string[],
  readSecret: ReadSecret,
): Promise<Buffer | undefined> {
  const { [plain]: text, [encoded]: base64, [reference]: ref } = source
  if (typeof text === 'string') return Buffer.from(text)
  if (typeof base64 === 'string') return Buffer.from(base64, 'base64')
  if (!isObject(ref) || typeof ref.name !== 'string') return undefined
  const data = await readSecret(ref.name)
  for (const key of keys) {
    const found = data.get(key)
    if (found !== undefined) return found
  }
  throw new Error(`secret ${JSON.stringify(ref.name)} has no key ${keys.join(' or ')}`)
}

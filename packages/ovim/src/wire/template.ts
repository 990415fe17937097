import { fieldForbidden, fieldRequired, isDNS1123Subdomain } from '@orrery/kinds/values'
import { type Fields, present, readMessage } from './fields.js'

/** Where the root disk of a machine comes from. Exactly one is set. */
export interface TemplateImage {
  /** An image that KubeVirt runs as a container disk. Without `storage` the disk is ephemeral. */
  readonly container_disk?: string
  /** The URL of a disk image that CDI downloads. */
  readonly http?: string
  /** An image that CDI imports: `docker://quay.io/…`. */
  readonly registry?: string
  /** A PersistentVolumeClaim on the cluster that CDI clones. */
  readonly pvc?: { readonly namespace: string; readonly name: string }
}

/** A kernel in a container image that a machine starts with. */
export interface TemplateKernelBoot {
  readonly image: string
  readonly kernel_path: string
  readonly initrd_path?: string
  readonly kernel_args?: string
}

export interface TemplateCloudInit {
  readonly user_data?: string
  readonly network_data?: string
}

export interface TemplateNetwork {
  readonly name: string
  /** A NetworkAttachmentDefinition, `name` or `namespace/name`. Absent: the network of the pod. */
  readonly network_name?: string
  readonly binding?: 'masquerade' | 'bridge'
}

/** What a cluster needs for machines of a template. */
export interface TemplateRequirements {
  readonly min_cpu?: string
  readonly min_memory?: string
  readonly min_storage?: string
  /** `amd64`, `arm64`, `s390x`: the `kubernetes.io/arch` of a node. */
  readonly architecture?: string
  /** A StorageClass that must exist. The disks of the machine use it. */
  readonly storage_class?: string
  /** Labels that a node must have. The machine runs only on such nodes. */
  readonly node_labels?: Readonly<Record<string, string>>
}

/** A template as the hub sends it to agents. */
export interface TemplateRecord {
  readonly name: string
  readonly namespace?: string
  readonly display_name?: string
  readonly description?: string
  readonly os_type?: string
  readonly os_version?: string
  readonly cpu?: string
  readonly memory?: string
  readonly storage?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly synced_at?: string
  readonly image: TemplateImage
  /** Absent: the machine boots from its disk. */
  readonly kernel_boot?: TemplateKernelBoot
  readonly cloud_init?: TemplateCloudInit
  readonly networks?: readonly TemplateNetwork[]
  readonly requirements?: TemplateRequirements
}

/** Templates for an agent. With `full`, the default, the agent forgets the templates that are not listed. */
export interface TemplateSync {
  readonly templates: readonly TemplateRecord[]
  readonly full?: boolean
}

/** The payload of TemplateSync; undefined if it lists no templates, and the agent must ask the hub for them. */
export function readTemplateSync(value: unknown): TemplateSync | undefined {
  return readMessage(
    'the payload of TemplateSync',
    value,
    (fields) => {
      const templates = fields.list('templates', readTemplate)
      return templates === undefined ? undefined : present({ templates, full: fields.boolean('full') })
    },
    'payload',
  )
}

/** The hub's reply with all templates of a zone. */
export function readTemplates(value: unknown): TemplateRecord[] {
  return readMessage('the list of templates', value, (fields) => fields.list('templates', readTemplate) ?? [])
}

export function readTemplate(fields: Fields): TemplateRecord {
  const name = fields.requiredName('name', isDNS1123Subdomain)
  return present({
    name,
    namespace: fields.text('namespace'),
    display_name: fields.text('display_name'),
    description: fields.text('description'),
    os_type: fields.text('os_type'),
    os_version: fields.text('os_version'),
    cpu: fields.quantity('cpu'),
    memory: fields.quantity('memory', 'Gi'),
    storage: fields.quantity(fields.first('storage', 'disk_size'), 'Gi'),
    labels: fields.texts('labels'),
    synced_at: fields.time('synced_at'),
    image: image(fields),
    kernel_boot: kernelBoot(fields.object('kernel_boot')),
    cloud_init: cloudInit(fields.object('cloud_init')),
    networks: fields.list('networks', network),
    requirements: requirements(fields.object('requirements')),
  })
}

function image(fields: Fields): TemplateImage {
  const given = fields.object('image')
  // The public implementation has only the reference of a container disk.
  const url = fields.text('image_url')
  if (given === undefined) {
    if (url === undefined || url === '') {
      fields.errors.push(fieldRequired(fields.at('image'), 'set one of container_disk, http, registry, pvc'))
      return {}
    }
    return /^https?:/.test(url) ? { http: url } : { container_disk: url }
  }
  const pvc = given.object('pvc')
  const chosen: TemplateImage = present({
    container_disk: given.text('container_disk'),
    http: given.text('http'),
    registry: given.text('registry'),
    pvc: pvc === undefined ? undefined : { namespace: pvc.requiredText('namespace'), name: pvc.requiredText('name') },
  })
  const count = Object.keys(chosen).length
  if (count === 0) given.errors.push(fieldRequired(given.path, 'set one of container_disk, http, registry, pvc'))
  if (count > 1)
    given.errors.push(fieldForbidden(given.path, 'only one of container_disk, http, registry, pvc may be set'))
  return chosen
}

export function kernelBoot(fields: Fields | undefined): TemplateKernelBoot | undefined {
  if (fields === undefined) return undefined
  return present({
    image: fields.requiredText('image'),
    kernel_path: fields.requiredText('kernel_path'),
    initrd_path: fields.text('initrd_path'),
    kernel_args: fields.text('kernel_args'),
  })
}

export function cloudInit(fields: Fields | undefined): TemplateCloudInit | undefined {
  return fields && present({ user_data: fields.text('user_data'), network_data: fields.text('network_data') })
}

function network(fields: Fields): TemplateNetwork {
  return present({
    name: fields.requiredText('name'),
    network_name: fields.text('network_name'),
    binding: fields.choice('binding', ['masquerade', 'bridge'] as const),
  })
}

function requirements(fields: Fields | undefined): TemplateRequirements | undefined {
  if (fields === undefined) return undefined
  return present({
    min_cpu: fields.quantity('min_cpu'),
    min_memory: fields.quantity('min_memory', 'Gi'),
    min_storage: fields.quantity('min_storage', 'Gi'),
    architecture: fields.text('architecture'),
    storage_class: fields.text('storage_class'),
    node_labels: fields.texts('node_labels'),
  })
}

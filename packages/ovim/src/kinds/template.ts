import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { objectName, positiveQuantity } from './fields.js'
import { OVIM_GROUP, OVIM_VERSION } from './names.js'

const image = t.object(
  {
    containerDisk: t.optional(
      t.string({
        description: 'ContainerDisk is the image of a container disk, such as quay.io/containerdisks/fedora:41.',
        minLength: 1,
        maxLength: 1024,
      }),
    ),
    http: t.optional(
      t.string({
        description: 'HTTP is the address of a disk image that is imported into a volume.',
        maxLength: 2048,
        pattern: '^https?://[^\\s]+$',
      }),
    ),
    registry: t.optional(
      t.string({
        description:
          'Registry is a disk image in a registry that is imported into a volume, such as docker://example.com/disk.',
        maxLength: 1024,
        pattern: '^(docker|oci-archive)://[^\\s]+$',
      }),
    ),
    pvc: t.optional(
      t.object(
        {
          namespace: objectName('Namespace is the namespace of the volume on the cluster.'),
          name: objectName('Name is the name of the PersistentVolumeClaim.'),
        },
        { description: 'PVC is a volume on the cluster that is cloned.' },
      ),
    ),
  },
  {
    description: 'Image is the disk of new virtual machines.',
    rules: [
      {
        rule: '[has(self.containerDisk), has(self.http), has(self.registry), has(self.pvc)].filter(x, x).size() == 1',
        message: 'set exactly one of containerDisk, http, registry and pvc',
      },
    ],
  },
)

const kernelBoot = t.object(
  {
    image: t.string({
      description: 'Image is the container image with the kernel.',
      minLength: 1,
      maxLength: 1024,
    }),
    kernelPath: t.string({
      description: 'KernelPath is the path of the kernel in the image.',
      pattern: '^/',
      maxLength: 1024,
    }),
    initrdPath: t.optional(
      t.string({
        description: 'InitrdPath is the path of the initial RAM disk in the image. If unset, there is none.',
        pattern: '^/',
        maxLength: 1024,
      }),
    ),
    args: t.optional(
      t.string({ description: 'Args are the arguments of the kernel. If unset, there are none.', maxLength: 4096 }),
    ),
  },
  {
    description:
      'KernelBoot starts virtual machines with a kernel from a container image. If unset, they boot from their disk.',
  },
)

/** The most text that KubeVirt takes in the specification of a virtual machine. */
export const MAX_CLOUD_INIT = 2048 * 16

const spec = t.object(
  {
    displayName: t.optional(
      t.string({ description: 'DisplayName is the name that user interfaces show.', maxLength: 253 }),
    ),
    description: t.optional(t.string({ description: 'Description describes the template.', maxLength: 4096 })),
    osType: t.string({
      description: 'OSType is the operating system, such as linux or windows.',
      minLength: 1,
      maxLength: 63,
    }),
    osVersion: t.optional(
      t.string({
        description: 'OSVersion is the version of the operating system, such as Ubuntu 24.04.',
        maxLength: 253,
      }),
    ),
    cpu: t.integer({
      description: 'CPU is the number of cores of new virtual machines.',
      format: 'int32',
      minimum: 1,
      maximum: 1024,
    }),
    memory: positiveQuantity({ description: 'Memory is the memory of new virtual machines.' }),
    storage: t.optional(
      positiveQuantity({
        description:
          'Storage is the size of the disk of new virtual machines. If unset for a container disk, the disk is lost when the ' +
          'virtual machine stops.',
      }),
    ),
    image,
    kernelBoot: t.optional(kernelBoot),
    storageClassName: t.optional(
      objectName('StorageClassName is the storage class of disks. If unset, the default of the cluster.'),
    ),
    cloudInit: t.optional(
      t.string({ description: 'CloudInit is user data for cloud-init.', maxLength: MAX_CLOUD_INIT }),
    ),
    networks: t.optional(
      t.array(
        t.string({
          description: 'The name of a NetworkAttachmentDefinition: name or namespace/name.',
          minLength: 1,
          maxLength: 317,
        }),
        { description: 'Networks lists further networks besides the pod network.', maxItems: 8, listType: 'atomic' },
      ),
    ),
    requirements: t.optional(
      t.object(
        {
          minCpu: t.optional(
            t.integer({ description: 'MinCPU is the least number of cores.', format: 'int32', minimum: 1 }),
          ),
          minMemory: t.optional(positiveQuantity({ description: 'MinMemory is the least memory.' })),
          minStorage: t.optional(positiveQuantity({ description: 'MinStorage is the least disk size.' })),
          architecture: t.optional(
            t.enum(['amd64', 'arm64', 's390x'], { description: 'Architecture is the architecture of the node.' }),
          ),
        },
        { description: 'Requirements are what virtual machines of the template need at least.' },
      ),
    ),
  },
  {
    description: 'Spec describes the virtual machines that are created from the template.',
    rules: [
      {
        rule: '!has(self.image.http) && !has(self.image.registry) && !has(self.image.pvc) || has(self.storage)',
        message: 'storage is required for the images http, registry and pvc',
        fieldPath: '.storage',
      },
    ],
  },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'Template',
  plural: 'templates',
  scope: 'Namespaced',
  shortNames: ['vmt'],
  categories: ['ovim'],
  description:
    'Template describes new virtual machines: operating system, size and disk image. It is in the namespace of an ' +
    'organization, or in ovim-system if it is public.',
  fields: { spec },
  columns: [
    { name: 'OS', type: 'string', jsonPath: '.spec.osType' },
    { name: 'Version', type: 'string', jsonPath: '.spec.osVersion' },
    { name: 'CPU', type: 'integer', jsonPath: '.spec.cpu' },
    { name: 'Memory', type: 'string', jsonPath: '.spec.memory' },
    { name: 'Storage', type: 'string', jsonPath: '.spec.storage' },
    AGE_COLUMN,
  ],
})

export interface TemplateSpec extends Read<typeof spec> {}

/** A description of new virtual machines. */
export interface Template extends ObjectOf<typeof definition> {}
export interface NewTemplate extends DraftOf<typeof definition> {}
export const Template: DefinedKind<Template, NewTemplate> = definition

import type { KubeObject } from '@orrery/kinds'
import type { Column } from '../kinds/resource.js'
import { AGE, column, count, flag, nameColumn, wide } from './column.js'
import { dig, fieldsOf, itemsOf, sizeOf, spec, status, text, textOr, textsOf } from './fields.js'

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class'
const DEFAULT_CLASS_ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
]

const ACCESS_MODES: readonly (readonly [name: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
]

const STATUS = column('Status', 'The phase of the volume.', (object) =>
  object.metadata.deletionTimestamp === undefined ? text(status(object).phase) : 'Terminating',
)
const STORAGE_CLASS = column('StorageClass', 'The storage class of the volume.', (object) => {
  const annotations = object.metadata.annotations ?? {}
  return Object.hasOwn(annotations, CLASS_ANNOTATION)
    ? text(annotations[CLASS_ANNOTATION])
    : text(spec(object).storageClassName)
})
const ATTRIBUTES_CLASS = column('VolumeAttributesClass', 'The volume attributes class.', (object) =>
  ifSet(spec(object).volumeAttributesClassName),
)
const VOLUME_MODE = wide(
  column('VolumeMode', 'Whether the volume is a file system or a block device.', (object) =>
    ifSet(spec(object).volumeMode),
  ),
)

export const PERSISTENT_VOLUME_COLUMNS: readonly Column[] = [
  column('Capacity', 'Size of the volume.', (object) => textOr(dig(spec(object).capacity, 'storage'), '0')),
  column('Access Modes', 'The access modes.', (object) => accessModes(spec(object).accessModes)),
  column('Reclaim Policy', 'The reclaim policy.', (object) => text(spec(object).persistentVolumeReclaimPolicy)),
  STATUS,
  column('Claim', 'The claim that it is bound to.', (object) => {
    const { claimRef } = spec(object)
    return claimRef === undefined ? '' : `${text(dig(claimRef, 'namespace'))}/${text(dig(claimRef, 'name'))}`
  }),
  STORAGE_CLASS,
  ATTRIBUTES_CLASS,
  column('Reason', 'The reason of its phase.', (object) => text(status(object).reason)),
  AGE,
  VOLUME_MODE,
]

export const PERSISTENT_VOLUME_CLAIM_COLUMNS: readonly Column[] = [
  STATUS,
  column('Volume', 'The volume that it is bound to.', (object) => text(spec(object).volumeName)),
  column('Capacity', 'Capacity of the volume.', (object) =>
    isBound(object) ? textOr(dig(status(object).capacity, 'storage'), '0') : '',
  ),
  column('Access Modes', 'Access modes of the volume.', (object) =>
    isBound(object) ? accessModes(status(object).accessModes) : '',
  ),
  STORAGE_CLASS,
  ATTRIBUTES_CLASS,
  AGE,
  VOLUME_MODE,
]

export const STORAGE_CLASS_COLUMNS: readonly Column[] = [
  nameColumn((object) => {
    const isDefault = DEFAULT_CLASS_ANNOTATIONS.some((name) => object.metadata.annotations?.[name] === 'true')
    return `${object.metadata.name ?? ''}${isDefault ? ' (default)' : ''}`
  }),
  column('Provisioner', 'The provisioner.', (object) => text(object.provisioner)),
  column('ReclaimPolicy', 'The reclaim policy of its volumes.', (object) => textOr(object.reclaimPolicy, 'Delete')),
  column('VolumeBindingMode', 'The binding mode of its volumes.', (object) =>
    textOr(object.volumeBindingMode, 'Immediate'),
  ),
  column(
    'AllowVolumeExpansion',
    'Whether its volumes can be expanded.',
    (object) => object.allowVolumeExpansion === true,
  ),
  AGE,
]

export const VOLUME_ATTRIBUTES_CLASS_COLUMNS: readonly Column[] = [
  column('DriverName', 'The driver.', (object) => text(object.driverName)),
  AGE,
]

export const VOLUME_ATTACHMENT_COLUMNS: readonly Column[] = [
  { ...column('Attacher', 'The attaching driver.', (object) => text(spec(object).attacher)), format: 'name' },
  column('PV', 'The volume to attach.', (object) => text(dig(spec(object).source, 'persistentVolumeName'))),
  column('Node', 'The node.', (object) => text(spec(object).nodeName)),
  flag('Attached', 'Whether it is attached.', (object) => status(object).attached === true),
  AGE,
]

export const CSI_NODE_COLUMNS: readonly Column[] = [
  count('Drivers', 'Number of storage drivers on the node.', (object) => sizeOf(spec(object).drivers)),
  AGE,
]

export const CSI_DRIVER_COLUMNS: readonly Column[] = [
  flag('AttachRequired', 'Whether volumes must be attached first.', (object) => spec(object).attachRequired !== false),
  flag(
    'PodInfoOnMount',
    'Whether mounting needs information about the pod.',
    (object) => spec(object).podInfoOnMount === true,
  ),
  flag('StorageCapacity', 'Whether it publishes its capacity.', (object) => spec(object).storageCapacity === true),
  column('TokenRequests', 'Audiences of the required tokens.', (object) => {
    const { tokenRequests } = spec(object)
    if (tokenRequests === undefined) return '<unset>'
    return itemsOf(tokenRequests)
      .map(({ audience }) => text(audience))
      .join(',')
  }),
  flag(
    'RequiresRepublish',
    'Whether volumes are republished periodically.',
    (object) => spec(object).requiresRepublish === true,
  ),
  column(
    'Modes',
    'Supported volume lifecycle modes.',
    (object) => textsOf(fieldsOf(spec(object)).volumeLifecycleModes).join(',') || '<none>',
  ),
  AGE,
]

function isBound(claim: KubeObject): boolean {
  return text(spec(claim).volumeName) !== ''
}

function accessModes(value: unknown): string {
  const modes = new Set(textsOf(value))
  return ACCESS_MODES.filter(([name]) => modes.has(name))
    .map(([, short]) => short)
    .join(',')
}

function ifSet(value: unknown): string {
  return typeof value === 'string' ? value : '<unset>'
}

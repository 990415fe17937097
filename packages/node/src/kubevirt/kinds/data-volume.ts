import { AGE_COLUMN, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { CDI_GROUP } from '../names.js'
import { nullableTime, open } from './pieces.js'

const text = t.optional(t.string())
const source = t.optional(t.raw())
const quantities = t.optional(t.map(t.quantity()))

/** The fields of a claim. `storage` leaves those out that CDI chooses. */
const claim = open(
  t.object({
    accessModes: t.optional(t.array(t.string())),
    resources: t.optional(open(t.object({ requests: quantities, limits: quantities }))),
    storageClassName: text,
    volumeMode: text,
    volumeName: text,
    selector: t.optional(t.raw()),
  }),
)

/** The spec of a DataVolume. */
export const dataVolumeSpec = t.object(
  {
    source: t.optional(
      t.object(
        {
          http: t.optional(open(t.object({ url: t.string() }))),
          registry: t.optional(open(t.object({ url: text, imageStream: text }))),
          pvc: t.optional(t.object({ namespace: t.string(), name: t.string() })),
          snapshot: t.optional(t.object({ namespace: t.string(), name: t.string() })),
          s3: source,
          gcs: source,
          imageio: source,
          vddk: source,
          blank: source,
          upload: source,
        },
        { description: 'Source is where the data comes from. It has exactly one field.' },
      ),
    ),
    sourceRef: t.optional(t.object({ kind: t.string(), name: t.string(), namespace: text })),
    storage: t.optional(t.described(claim, 'Storage describes the claim. CDI chooses what it leaves out.')),
    pvc: t.optional(t.described(claim, 'PVC is the exact spec of the claim.')),
    contentType: text,
    priorityClassName: text,
    preallocation: t.optional(t.boolean()),
    finalCheckpoint: t.optional(t.boolean()),
    checkpoints: t.optional(t.array(t.raw())),
  },
  { description: 'Spec is the desired volume and the source of its data.' },
)

const condition = open(
  t.object({
    type: t.string(),
    status: t.enum(['True', 'False', 'Unknown']),
    reason: text,
    message: text,
    lastTransitionTime: t.optional(nullableTime()),
    lastHeartbeatTime: t.optional(nullableTime()),
  }),
)

const status = open(
  t.object(
    {
      claimName: text,
      phase: t.optional(t.string({ description: 'Phase is the step of the import, clone or upload.' })),
      progress: t.optional(t.string({ description: 'Progress is the share of the data that is there, or N/A.' })),
      restartCount: t.optional(t.integer({ format: 'int32' })),
      conditions: t.optional(t.array(condition)),
    },
    { description: 'Status is the observed state of the volume.' },
  ),
)

const definition = defineKind({
  group: CDI_GROUP,
  version: 'v1beta1',
  kind: 'DataVolume',
  plural: 'datavolumes',
  scope: 'Namespaced',
  shortNames: ['dv', 'dvs'],
  categories: ['all'],
  description: 'DataVolume is a PersistentVolumeClaim and the data that is imported, cloned or uploaded into it.',
  fields: { spec: dataVolumeSpec, status: t.optional(status) },
  statusSubresource: true,
  columns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Step of the import, clone or upload' },
    { name: 'Progress', type: 'string', jsonPath: '.status.progress', description: 'Share of the data, or N/A' },
    { name: 'Restarts', type: 'integer', jsonPath: '.status.restartCount', description: 'Restarts of the transfer' },
    AGE_COLUMN,
  ],
})

export interface DataVolumeSpec extends Read<typeof dataVolumeSpec> {}
export interface DataVolumeStatus extends Read<typeof status> {}

/** A claim and the data that is put into it. */
export interface DataVolume extends ObjectOf<typeof definition> {}
export interface NewDataVolume extends DraftOf<typeof definition> {}
export const DataVolume: DefinedKind<DataVolume, NewDataVolume> = definition

import { fieldSet } from './algebra.js'

/** Metadata without an owner: the server sets it, or it identifies the object. */
const METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
]
const TYPE = ['apiVersion', 'kind']

/** The fields of every object that have no owner. */
export const UNOWNED = fieldSet(
  ['metadata'],
  ...TYPE.map((name) => [name]),
  ...METADATA.map((name) => ['metadata', name]),
)

export const UNOWNED_TYPE: ReadonlySet<string> = new Set(TYPE)
export const UNOWNED_METADATA: ReadonlySet<string> = new Set(METADATA)

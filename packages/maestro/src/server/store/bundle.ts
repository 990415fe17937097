import type { Json } from './database.js'

/** A resource bundle: one ManifestWork of one source on one consumer. */
export interface Bundle {
  readonly id: string
  /** The same as the id. */
  readonly name: string
  readonly source: string
  readonly consumerName: string
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  /** Set while the agent deletes the work. */
  readonly deletedAt?: Date
  /** The metadata of the work as the source sent it. */
  readonly metadata: Json
  readonly manifests: Json
  readonly deleteOption?: Json
  readonly manifestConfigs?: Json
  readonly executer?: Json
  /** Undefined until the agent reports. */
  readonly status?: BundleStatus
}

export interface BundleStatus {
  readonly observedVersion: number
  readonly sequenceId: string
  readonly hash: string
  readonly conditions: Json
  readonly resourceStatus?: Json
}

/** The columns of a bundle, in `resources` and in `tombstones`. */
const BUNDLE_COLUMNS = [
  'id',
  'source',
  'consumer_name',
  'version',
  'created_at',
  'updated_at',
  'deleted_at',
  'status_version',
  'status_sequence',
  'status_hash',
  'metadata',
  'manifests',
  'delete_option',
  'manifest_configs',
  'executer',
  'status_conditions',
  'status_resources',
] as const

export const columnsOf = (table: string): string => BUNDLE_COLUMNS.map((column) => `${table}.${column}`).join(', ')

export interface BundleRow {
  readonly id: string
  readonly source: string
  readonly consumer_name: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
  readonly deleted_at: Date | null
  readonly status_version: number | null
  readonly status_sequence: string | null
  readonly status_hash: string | null
  readonly metadata: Json
  readonly manifests: Json | null
  readonly delete_option: Json | null
  readonly manifest_configs: Json | null
  readonly executer: Json | null
  readonly status_conditions: Json | null
  readonly status_resources: Json | null
}

const NO_ITEMS = Buffer.from('[]')

export function bundleOf(row: BundleRow): Bundle {
  return {
    id: row.id,
    name: row.id,
    source: row.source,
    consumerName: row.consumer_name,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.deleted_at !== null && { deletedAt: row.deleted_at }),
    metadata: row.metadata,
    manifests: row.manifests ?? NO_ITEMS,
    ...(row.delete_option !== null && { deleteOption: row.delete_option }),
    ...(row.manifest_configs !== null && { manifestConfigs: row.manifest_configs }),
    ...(row.executer !== null && { executer: row.executer }),
    ...(row.status_sequence !== null && { status: statusOf(row, row.status_sequence) }),
  }
}

function statusOf(row: BundleRow, sequenceId: string): BundleStatus {
  return {
    observedVersion: row.status_version ?? row.version,
    sequenceId,
    hash: row.status_hash ?? '',
    conditions: row.status_conditions ?? NO_ITEMS,
    ...(row.status_resources !== null && { resourceStatus: row.status_resources }),
  }
}

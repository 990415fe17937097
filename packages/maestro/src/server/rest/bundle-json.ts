import type { Bundle, BundleStatus } from '../store/bundle.js'
import { jsonText, type Members, objectText } from './json-text.js'
import { BUNDLES_PATH } from './paths.js'

/** The members that a client can receive, for the `fields` parameter. Only this parameter selects the source. */
export const BUNDLE_FIELDS = [
  'id',
  'kind',
  'href',
  'name',
  'source',
  'consumer_name',
  'version',
  'created_at',
  'updated_at',
  'deleted_at',
  'metadata',
  'manifests',
  'delete_option',
  'manifest_configs',
  'status',
] as const

/**
 * A bundle as Maestro sends it. Go clients refuse lists with members that they do not know: a member must not be added
 * here. Manifests and statuses are the stored bytes.
 */
export function bundleMembers(bundle: Bundle): Members {
  const { id, deletedAt, status } = bundle
  return [
    ['id', jsonText(id)],
    ['kind', KIND],
    ['href', jsonText(`${BUNDLES_PATH}/${encodeURIComponent(id)}`)],
    ['name', jsonText(bundle.name)],
    ['consumer_name', jsonText(bundle.consumerName)],
    ['version', jsonText(bundle.version)],
    ['created_at', jsonText(bundle.createdAt)],
    ['updated_at', jsonText(bundle.updatedAt)],
    ...(deletedAt === undefined ? [] : [['deleted_at', jsonText(deletedAt)] as const]),
    ['metadata', metadataText(bundle)],
    ['manifests', bundle.manifests],
    ['delete_option', bundle.deleteOption ?? EMPTY_OBJECT],
    ['manifest_configs', bundle.manifestConfigs ?? EMPTY_ARRAY],
    ...(status === undefined ? [] : [['status', statusText(status)] as const]),
  ]
}

/** A bundle with all that `fields` can select. */
export function selectableMembers(bundle: Bundle): Members {
  return [...bundleMembers(bundle), ['source', jsonText(bundle.source)]]
}

/** The metadata of the work, with the times of the bundle: the source's own copy has none when it creates a work. */
function metadataText({ metadata, createdAt, deletedAt }: Bundle): Buffer {
  const { deletionTimestamp: _, ...rest } = JSON.parse(metadata.toString()) as Record<string, unknown>
  return jsonText({
    ...rest,
    creationTimestamp: seconds(createdAt),
    ...(deletedAt !== undefined && { deletionTimestamp: seconds(deletedAt) }),
  })
}

/** The first two names are those of Go fields. */
function statusText({ observedVersion, sequenceId, conditions, resourceStatus }: BundleStatus): Buffer {
  return objectText([
    ['ObservedVersion', jsonText(observedVersion)],
    ['SequenceID', jsonText(sequenceId)],
    ['conditions', conditions],
    ...(resourceStatus === undefined ? [] : [['resourceStatus', resourceStatus] as const]),
  ])
}

/** Kubernetes times have no fractions of a second. */
function seconds(time: Date): string {
  return time.toISOString().replace(/\.\d+Z$/, 'Z')
}

const KIND = Buffer.from('"ResourceBundle"')
const EMPTY_OBJECT = Buffer.from('{}')
const EMPTY_ARRAY = Buffer.from('[]')

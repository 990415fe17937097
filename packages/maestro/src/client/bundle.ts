import type { ManifestWork, ManifestWorkStatus, NewManifestWork } from '@orrery/api'
import type { ObjectMeta } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'

/** A work with what orders its states. */
export interface StoredWork {
  readonly id: string
  readonly version: number
  /** Empty without a status. */
  readonly sequenceId: string
  /** Only in lists of all sources. */
  readonly source?: string
  readonly work: ManifestWork
}

/**
 * The executor of a work, as JSON. The REST API of Maestro has no member for it: without this copy, each patch would remove
 * the executor, and the agent would apply the work with its own permissions.
 */
const EXECUTOR_ANNOTATION = 'maestro.orrery.dev/executor'

/** The work of a resource bundle of the REST API. */
export function workOfBundle(bundle: Record<string, unknown>): StoredWork {
  const [id, version] = [String(bundle.id), Number(bundle.version ?? 0)]
  const sent = (isObject(bundle.metadata) ? bundle.metadata : {}) as ObjectMeta
  const { executor, metadata } = splitExecutor(sent)
  const status = isObject(bundle.status) ? bundle.status : {}
  const spec = specOf(bundle, executor)
  const workStatus = statusOf(status)
  const work = {
    apiVersion: 'work.open-cluster-management.io/v1',
    kind: 'ManifestWork',
    metadata: {
      ...metadata,
      name: metadata.name ?? String(bundle.name),
      namespace: String(bundle.consumer_name),
      uid: id,
      generation: version,
      resourceVersion: String(version),
    },
    spec,
    ...(workStatus !== undefined && { status: workStatus }),
  } as unknown as ManifestWork
  const sequenceId = typeof status.SequenceID === 'string' ? status.SequenceID : ''
  return { id, version, sequenceId, work, ...(typeof bundle.source === 'string' && { source: bundle.source }) }
}

/** The server sets these itself. */
const OWN_FIELDS = new Set(['resourceVersion', 'generation', 'creationTimestamp', 'deletionTimestamp', 'managedFields'])

/** The metadata to publish. */
export function publishedMetadata(metadata: ObjectMeta, spec: NewManifestWork['spec']): ObjectMeta {
  const { annotations, ...rest } = withoutKeys(metadata, OWN_FIELDS)
  const kept = withoutKeys(annotations ?? {}, new Set([EXECUTOR_ANNOTATION]))
  const executor = spec?.executor === undefined ? {} : { [EXECUTOR_ANNOTATION]: JSON.stringify(spec.executor) }
  return withAnnotations(rest, { ...kept, ...executor })
}

function splitExecutor(metadata: ObjectMeta): { executor: object | undefined; metadata: ObjectMeta } {
  const { annotations = {}, ...rest } = metadata
  const executor = parsedObject(annotations[EXECUTOR_ANNOTATION])
  if (executor === undefined) return { executor, metadata }
  return { executor, metadata: withAnnotations(rest, withoutKeys(annotations, new Set([EXECUTOR_ANNOTATION]))) }
}

function withAnnotations(metadata: ObjectMeta, annotations: Record<string, string>): ObjectMeta {
  return Object.keys(annotations).length === 0 ? metadata : { ...metadata, annotations }
}

function withoutKeys<T extends object>(value: T, keys: ReadonlySet<string>): T {
  return Object.fromEntries(Object.entries(value).filter(([key]) => !keys.has(key))) as T
}

function parsedObject(text: string | undefined): object | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Maestro sends empty values for options that a work does not have. */
function specOf({ manifests, delete_option, manifest_configs }: Record<string, unknown>, executor: object | undefined) {
  const hasOption = isObject(delete_option) && Object.keys(delete_option).length > 0
  const hasConfigs = Array.isArray(manifest_configs) && manifest_configs.length > 0
  return {
    workload: { manifests: Array.isArray(manifests) ? manifests : [] },
    ...(hasOption && { deleteOption: delete_option }),
    ...(hasConfigs && { manifestConfigs: manifest_configs }),
    ...(executor !== undefined && { executor }),
  }
}

function statusOf({ conditions, resourceStatus }: Record<string, unknown>): ManifestWorkStatus | undefined {
  if (!Array.isArray(conditions) && !Array.isArray(resourceStatus)) return undefined
  return { conditions: conditions ?? [], resourceStatus: { manifests: resourceStatus ?? [] } } as ManifestWorkStatus
}

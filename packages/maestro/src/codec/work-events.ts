import type { ManifestWork, ManifestWorkSpec, ManifestWorkStatus } from '@orrery/api'
import type { ObjectMeta } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import type { CloudEvent } from './cloud-event.js'
import { CodecError } from './codec-error.js'
import type { EventAction } from './event-type.js'
import { Extension, integerExtension, textExtension, timeExtension } from './extensions.js'
import { jsonBytes, jsonData, newEvent, parseJson } from './new-event.js'
import { statusHash } from './status-hash.js'

/** The prefix of annotations that identify an operation in the logs of all parties. */
const TRACING_PREFIX = 'logging.open-cluster-management.io/'

/** The data of a spec event. The name of `executer` is part of the wire format. */
interface ManifestBundle {
  readonly manifests: readonly unknown[]
  readonly deleteOption?: unknown
  readonly manifestConfigs?: unknown
  readonly executer?: unknown
}

export interface SpecEvent {
  readonly source: string
  readonly action: EventAction
  readonly resourceId: string
  readonly resourceVersion: number
  /** Its namespace is the name of the cluster. A work with a deletion timestamp is sent without its spec. */
  readonly work: Pick<ManifestWork, 'spec'> & { readonly metadata: ObjectMeta }
}

/** The event with which a source creates, updates or deletes a work. */
export function specEvent({ source, action, resourceId, resourceVersion, work }: SpecEvent): CloudEvent {
  const { metadata, spec } = work
  const { deletionTimestamp } = metadata
  return newEvent({
    source,
    subResource: 'spec',
    action,
    extensions: {
      [Extension.ClusterName]: metadata.namespace ?? '',
      [Extension.OriginalSource]: '',
      [Extension.ResourceId]: resourceId,
      [Extension.ResourceVersion]: resourceVersion,
      [Extension.Metadata]: JSON.stringify(metadata),
      ...tracingOf(metadata),
      ...(deletionTimestamp !== undefined && { [Extension.DeletionTimestamp]: new Date(deletionTimestamp) }),
    },
    ...(deletionTimestamp === undefined && { data: jsonBytes(bundleOf(spec)) }),
  })
}

/** What a spec event says. */
export interface SpecMessage {
  /** The source of the event, which gets the status of the work. */
  readonly source: string
  readonly clusterName: string
  readonly resourceId: string
  /** Undefined in the answer to a resync request with a work that the source does not have: it has to be deleted. */
  readonly resourceVersion?: number
  readonly metadata: ObjectMeta
  readonly deletionTimestamp?: Date
  /** Undefined for a work that is being deleted. */
  readonly spec?: ManifestWorkSpec
}

/** Throws `CodecError`. */
export function readSpecEvent(event: CloudEvent): SpecMessage {
  const resourceId = textExtension(event, Extension.ResourceId)
  const deletionTimestamp = timeExtension(event, Extension.DeletionTimestamp)
  const message = {
    source: event.source,
    clusterName: textExtension(event, Extension.ClusterName),
    resourceId,
    metadata: metadataOf(event) ?? {},
  }
  if (deletionTimestamp === undefined) {
    const resourceVersion = integerExtension(event, Extension.ResourceVersion)
    return { ...message, resourceVersion, spec: specOf(jsonData(event)) }
  }
  const hasVersion = event.extensions[Extension.ResourceVersion] !== undefined
  return {
    ...message,
    deletionTimestamp,
    ...(hasVersion && { resourceVersion: integerExtension(event, Extension.ResourceVersion) }),
  }
}

export interface StatusEvent {
  readonly agentId: string
  readonly action: EventAction
  readonly resourceId: string
  readonly resourceVersion: number
  readonly sequenceId: string
  /** The source that gets the status. */
  readonly originalSource: string
  readonly work: Pick<ManifestWork, 'metadata' | 'status'>
}

/** The event with which an agent reports the status of a work. */
export function statusEvent(status: StatusEvent): CloudEvent {
  const { metadata, status: workStatus } = status.work
  const { resourceVersion: _, ...sentMetadata } = metadata
  const manifests = workStatus?.resourceStatus?.manifests ?? []
  return newEvent({
    source: status.agentId,
    subResource: 'status',
    action: status.action,
    extensions: {
      [Extension.ClusterName]: metadata.namespace,
      [Extension.OriginalSource]: status.originalSource,
      [Extension.ResourceId]: status.resourceId,
      [Extension.ResourceVersion]: status.resourceVersion,
      [Extension.SequenceId]: status.sequenceId,
      [Extension.StatusHash]: statusHash(workStatus),
      [Extension.Metadata]: JSON.stringify(sentMetadata),
      ...tracingOf(metadata),
    },
    data: jsonBytes({
      conditions: workStatus?.conditions ?? [],
      ...(manifests.length > 0 && { resourceStatus: manifests }),
    }),
  })
}

/** What a status event says. */
export interface StatusMessage {
  readonly resourceId: string
  readonly resourceVersion: number
  readonly sequenceId: string
  /** The metadata of the work, if the event has it. */
  readonly metadata?: ObjectMeta
  /** The spec of the work, if the event has it. */
  readonly spec?: ManifestWorkSpec
  readonly status: ManifestWorkStatus
}

/** Throws `CodecError`. */
export function readStatusEvent(event: CloudEvent): StatusMessage {
  const data = jsonData(event)
  if (!isObject(data)) throw new CodecError('the data of the status event is not a JSON object')
  const { conditions, resourceStatus, manifestBundle } = data
  const metadata = metadataOf(event)
  return {
    resourceId: textExtension(event, Extension.ResourceId),
    resourceVersion: integerExtension(event, Extension.ResourceVersion),
    sequenceId: textExtension(event, Extension.SequenceId),
    ...(metadata !== undefined && { metadata }),
    ...(isObject(manifestBundle) && { spec: specOf(manifestBundle) }),
    status: {
      conditions: listOf(conditions, 'conditions'),
      resourceStatus: { manifests: listOf(resourceStatus, 'resourceStatus') },
    } as ManifestWorkStatus,
  }
}

function bundleOf(spec: ManifestWorkSpec | undefined): ManifestBundle {
  const { workload, deleteOption, manifestConfigs, executor } = spec ?? {}
  return {
    manifests: workload?.manifests ?? [],
    ...(deleteOption !== undefined && { deleteOption }),
    ...(manifestConfigs !== undefined && manifestConfigs.length > 0 && { manifestConfigs }),
    ...(executor !== undefined && { executer: executor }),
  }
}

function specOf(data: unknown): ManifestWorkSpec {
  if (!isObject(data)) throw new CodecError('the data of the spec event is not a JSON object')
  const { manifests, deleteOption, manifestConfigs, executer } = data
  const configs = listOf(manifestConfigs, 'manifestConfigs')
  for (const [name, value] of Object.entries({ deleteOption, executer })) {
    // Without the executor, the work would be applied with all permissions of the agent.
    if (value !== undefined && value !== null && !isObject(value)) throw new CodecError(`${name} is not an object`)
  }
  // The agent that applies the work checks the schema of the kind.
  return {
    workload: { manifests: listOf(manifests, 'manifests') },
    ...(isObject(deleteOption) && { deleteOption }),
    ...(configs.length > 0 && { manifestConfigs: configs }),
    ...(isObject(executer) && { executor: executer }),
  } as unknown as ManifestWorkSpec
}

/** Go writes null for a list without items. */
function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value) || !value.every(isObject)) throw new CodecError(`${name} is not a list of objects`)
  return value
}

function metadataOf(event: CloudEvent): ObjectMeta | undefined {
  const text = event.extensions[Extension.Metadata]
  if (text === undefined) return undefined
  const metadata = parseJson(String(text), 'failed to unmarshal the metadata extension')
  if (!isObject(metadata)) throw new CodecError('the metadata extension is not a JSON object')
  const tracing = event.extensions[Extension.LogTracing]
  if (tracing === undefined) return metadata
  const fields = parseJson(String(tracing), 'failed to unmarshal the logtracing extension')
  const added = Object.entries(isObject(fields) ? fields : {}).filter(([key]) => key.startsWith(TRACING_PREFIX))
  const annotations = isObject(metadata.annotations) ? metadata.annotations : {}
  return { ...metadata, annotations: { ...annotations, ...Object.fromEntries(added) } } as ObjectMeta
}

function tracingOf({ annotations = {} }: ObjectMeta): { [Extension.LogTracing]?: string } {
  const tracing = Object.entries(annotations).filter(([key]) => key.startsWith(TRACING_PREFIX))
  return tracing.length === 0 ? {} : { [Extension.LogTracing]: JSON.stringify(Object.fromEntries(tracing)) }
}

import type { CloudEvent } from '../../codec/cloud-event.js'
import { CodecError } from '../../codec/codec-error.js'
import type { EventAction } from '../../codec/event-type.js'
import { Extension, integerExtension, textExtension, timeExtension } from '../../codec/extensions.js'
import { newEvent, parseJson } from '../../codec/new-event.js'
import type { Bundle } from '../store/bundle.js'
import { isDeletion, type SpecChange, type StatusChange } from './changes.js'
import { fitInMessage } from './limits.js'

/** The default source of the server's events to agents, which is the original source of their status events. */
export const SERVER_SOURCE = 'maestro'

/** SHA-256 in hexadecimal has 64. It is sent to sources with the status. */
const MAX_HASH = 256

export interface SpecRequest {
  readonly action: 'create' | 'update' | 'delete'
  readonly id: string
  readonly source: string
  readonly consumerName: string
  readonly version: number
  /** JSON of the metadata of the work. */
  readonly metadata?: string
  readonly data?: Uint8Array
}

export interface StatusReport {
  readonly id: string
  readonly consumerName: string
  readonly version: number
  readonly sequenceId: string
  readonly hash: string
  readonly data: Uint8Array
}

/** What a source requests. Throws `CodecError`. */
export function readSpecRequest(event: CloudEvent, action: SpecRequest['action']): SpecRequest {
  const consumerName = textExtension(event, Extension.ClusterName)
  const id = textExtension(event, Extension.ResourceId)
  const version = integerExtension(event, Extension.ResourceVersion)
  timeExtension(event, Extension.DeletionTimestamp)
  const { source, data, extensions } = event
  const metadata = extensions[Extension.Metadata]
  if (metadata !== undefined && typeof metadata !== 'string') {
    throw new CodecError('failed to get metadata extension: the value is not a string of JSON')
  }
  return { action, id, source, consumerName, version, ...(metadata && { metadata }), ...(data && { data }) }
}

/** What an agent reports. Throws `CodecError`. */
export function readStatusReport(event: CloudEvent, serverSource: string = SERVER_SOURCE): StatusReport {
  const id = textExtension(event, Extension.ResourceId)
  const version = integerExtension(event, Extension.ResourceVersion)
  const consumerName = textExtension(event, Extension.ClusterName)
  const originalSource = textExtension(event, Extension.OriginalSource)
  if (originalSource !== serverSource) {
    throw new CodecError(`unmatched original source id ${originalSource} for resource ${id}`)
  }
  const sequenceId = textExtension(event, Extension.SequenceId)
  const hash = event.extensions[Extension.StatusHash]
  if (typeof hash === 'string' && hash.length > MAX_HASH) {
    throw new CodecError(`the statushash of resource ${id} has more than ${MAX_HASH} characters`)
  }
  if (event.data === undefined) throw new CodecError(`the status of resource ${id} has no data`)
  return { id, consumerName, version, sequenceId, hash: typeof hash === 'string' ? hash : '', data: event.data }
}

/** The event that tells an agent about a bundle. */
export function specEventOf(
  change: SpecChange,
  action: EventAction = actionOf(change),
  serverSource: string = SERVER_SOURCE,
): CloudEvent {
  const { id, consumerName, version, bundle } = change
  const deletedAt = isDeletion(change) ? (bundle?.deletedAt ?? new Date()) : undefined
  return newEvent({
    source: serverSource,
    subResource: 'spec',
    action,
    extensions: {
      [Extension.ClusterName]: consumerName,
      [Extension.ResourceId]: id,
      [Extension.ResourceVersion]: version,
      ...(bundle && { [Extension.Metadata]: metadataForAgent(bundle) }),
      ...(deletedAt && { [Extension.DeletionTimestamp]: deletedAt }),
    },
    ...(bundle && !deletedAt && { data: manifestBundleOf(bundle) }),
  })
}

function actionOf(change: SpecChange): EventAction {
  if (isDeletion(change)) return 'delete_request'
  return change.isNew ? 'create_request' : 'update_request'
}

/** The event that tells a source about the status of a bundle. */
export function statusEventOf({ id, bundle }: StatusChange, serverSource: string = SERVER_SOURCE): CloudEvent {
  const { status } = bundle
  if (status === undefined) throw new Error(`bundle ${id} has no status`)
  const { conditions, resourceStatus } = status
  const spec = manifestBundleOf(bundle)
  // Sources have the spec, or read it: the status is what they wait for.
  const hasSpec = fitInMessage(bundle.metadata, spec, conditions, resourceStatus)
  return newEvent({
    source: `${bundle.consumerName}-work-agent`,
    subResource: 'status',
    action: 'update_request',
    extensions: {
      [Extension.ClusterName]: bundle.consumerName,
      [Extension.OriginalSource]: serverSource,
      [Extension.ResourceId]: id,
      [Extension.ResourceVersion]: status.observedVersion,
      [Extension.SequenceId]: status.sequenceId,
      ...(status.hash !== '' && { [Extension.StatusHash]: status.hash }),
      [Extension.Metadata]: bundle.metadata.toString('utf8'),
    },
    data: objectOf([
      ['manifestBundle', hasSpec ? spec : undefined],
      ['conditions', conditions],
      ['resourceStatus', resourceStatus],
    ]),
  })
}

/** On the agent, works of all sources are in one namespace: the id is the only name that is unique. */
function metadataForAgent({ id, metadata }: Bundle): string {
  const parsed = parseJson(metadata.toString('utf8'), 'the metadata is not JSON')
  return JSON.stringify({ ...(parsed as object), name: id })
}

function manifestBundleOf({ manifests, deleteOption, manifestConfigs, executer }: Bundle): Buffer {
  return objectOf([
    ['manifests', manifests],
    ['deleteOption', deleteOption],
    ['manifestConfigs', manifestConfigs],
    ['executer', executer],
  ])
}

/** Joins values that are already JSON. */
function objectOf(members: readonly (readonly [string, Buffer | undefined])[]): Buffer {
  const parts: Buffer[] = []
  for (const [key, value] of members) {
    if (value !== undefined) parts.push(Buffer.from(`${parts.length === 0 ? '{' : ','}"${key}":`), value)
  }
  parts.push(Buffer.from(parts.length === 0 ? '{}' : '}'))
  return Buffer.concat(parts)
}

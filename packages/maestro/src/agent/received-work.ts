import { ManifestWork, ORIGINAL_SOURCE_LABEL, WORK_FINALIZER } from '@orrery/api'
import { formatFieldError, formatTime } from '@orrery/kinds/values'
import { MANIFEST_BUNDLES } from '../codec/event-type.js'
import type { SpecMessage } from '../codec/work-events.js'

/** Annotation of a received work: the data type of its events. */
const DATA_TYPE_ANNOTATION = 'cloudevents.open-cluster-management.io/datatype'

/** The source that gets the status of a work. */
export function originalSourceOf({ metadata }: ManifestWork): string {
  return metadata.labels?.[ORIGINAL_SOURCE_LABEL] ?? ''
}

/**
 * The work of a spec event, as Open Cluster Management's agent sees it: named by the resource ID if the source sends no
 * name, with the version of the event as its generation.
 * @param known The work that the agent already has. It keeps its status, and its spec when it is deleted.
 */
export function receivedWork(message: SpecMessage, known: ManifestWork | undefined): ManifestWork {
  const { metadata, resourceId, clusterName, source, deletionTimestamp } = message
  const { finalizers: _, ownerReferences: __, managedFields: ___, deletionTimestamp: ____, ...kept } = metadata
  const generation = message.resourceVersion ?? known?.metadata.generation ?? 0
  const work = {
    apiVersion: `${ManifestWork.group}/${ManifestWork.version}`,
    kind: ManifestWork.kind,
    metadata: {
      ...kept,
      name: workName(message),
      namespace: clusterName,
      uid: resourceId,
      resourceVersion: String(generation),
      generation,
      creationTimestamp: metadata.creationTimestamp ?? known?.metadata.creationTimestamp ?? formatTime(new Date()),
      labels: { ...metadata.labels, [ORIGINAL_SOURCE_LABEL]: source },
      annotations: { ...metadata.annotations, [DATA_TYPE_ANNOTATION]: MANIFEST_BUNDLES },
      finalizers: [WORK_FINALIZER],
      ...(deletionTimestamp !== undefined && { deletionTimestamp: formatTime(deletionTimestamp) }),
    },
    spec: message.spec ?? known?.spec ?? {},
  }
  const { spec } = ManifestWork.complete(work)
  return { ...work, ...(spec !== undefined && { spec }), ...(known?.status !== undefined && { status: known.status }) }
}

/** Servers replace the name of a work by its resource ID, which is unique among their sources. */
export function workName({ metadata, resourceId }: Pick<SpecMessage, 'metadata' | 'resourceId'>): string {
  return metadata.name === undefined || metadata.name === '' ? resourceId : metadata.name
}

/** What is wrong with a work, by the schema of its kind. Undefined if nothing is. */
export function problemOf(work: ManifestWork): string | undefined {
  const errors = ManifestWork.validate(work)
  return errors.length === 0 ? undefined : errors.map(formatFieldError).join(', ')
}

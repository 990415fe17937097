import type { KubeObject } from '@orrery/kinds'
import { badRequest, parseFieldSelector, parseLabelSelector, requiredFieldValue } from '@orrery/kinds/values'
import type { Entry } from '../store/types.js'
import type { WatchFilter } from '../watch/types.js'
import type { KindLogic } from './kind-logic.js'

/** The objects of a list or watch. */
export interface Selection {
  /** Set if a field selector or the request names the namespace. */
  readonly namespace: string | undefined
  /** Set if a field selector names the name. */
  readonly name: string | undefined
  /** The remaining filter for each object; undefined if every object in range matches. */
  readonly filter: WatchFilter | undefined
  /** Whether the filter needs only labels, which entries keep. */
  readonly onlyLabels: boolean
  /** The filter if a webhook must convert each object first. Then there is no `filter`. */
  readonly served: ServedFilter | undefined
}

/** Filters objects in the version of the request. */
export type ServedFilter = (object: KubeObject) => boolean

/** Parses label and field selectors. Throws a 400 for invalid ones and for unsupported fields. */
export function parseSelection(
  logic: KindLogic,
  namespace: string | undefined,
  labelSelector: string,
  fieldSelector: string,
): Selection {
  const labels = labelSelector === '' ? undefined : readSelector(() => parseLabelSelector(labelSelector))
  const fields = fieldSelector === '' ? undefined : readSelector(() => parseFieldSelector(fieldSelector))
  for (const requirement of fields?.requirements ?? []) {
    const { field } = requirement
    if (field === 'metadata.name' || logic.selectable.includes(field)) continue
    if (field !== 'metadata.namespace' || !hasNamespaceField(logic)) throw badRequest(unknownField(logic, field))
  }
  const pinned = (field: string) => (fields === undefined ? undefined : requiredFieldValue(fields, field))
  const name = pinned('metadata.name')
  const pinnedNamespace = logic.resource.namespaced ? pinned('metadata.namespace') : undefined
  const range = { namespace: namespace ?? pinnedNamespace, name, onlyLabels: fields === undefined }
  const selectsOnlyName = labels === undefined && fields?.requirements.length === 1 && name !== undefined
  if (selectsOnlyName || (labels === undefined && fields === undefined)) {
    return { ...range, filter: undefined, served: undefined }
  }
  const hasLabels: ServedFilter = ({ metadata }) => labels === undefined || labels.matches(metadata.labels)
  const hasFields: ServedFilter = (object) => {
    if (fields === undefined) return true
    const values = fieldsOf(logic, object)
    return fields.matches((field) => values[field] ?? '')
  }
  const usesContent = fields?.requirements.some(({ field }) => logic.selectable.includes(field)) === true
  // Converters keep the name and the namespace of an object, but may change its labels.
  if (logic.convertsRemotely && (labels !== undefined || usesContent)) {
    return { ...range, filter: undefined, served: (object) => hasLabels(object) && hasFields(object) }
  }
  const filter: WatchFilter = {
    key: `${labels?.text ?? ''}\n${fields?.text ?? ''}`,
    matches(entry) {
      if (labels !== undefined && !labels.matches(entry.labels())) return false
      if (fields === undefined) return true
      const object = entry.object()
      return hasFields(usesContent ? (logic.fromStorage(object) as KubeObject) : object)
    },
  }
  return { ...range, filter, served: undefined }
}

function fieldsOf(logic: KindLogic, object: KubeObject): Record<string, string> {
  return {
    ...logic.selectableFields(object),
    'metadata.name': object.metadata.name ?? '',
    'metadata.namespace': object.metadata.namespace ?? '',
  }
}

/** Built-in kinds support `metadata.namespace` even if they are cluster-scoped. */
function hasNamespaceField({ resource }: KindLogic): boolean {
  return resource.namespaced || !resource.custom
}

function unknownField(logic: KindLogic, field: string): string {
  if (logic.selectable.length > 0 || logic.resource.custom) return `field label not supported: ${field}`
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`
}

function readSelector<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw badRequest(error instanceof Error ? error.message : String(error))
  }
}

/** Returns whether an entry is in range and matches the filter. */
export function selects(selection: Selection, entry: Entry): boolean {
  if (selection.name !== undefined && entry.name !== selection.name) return false
  return selection.filter === undefined || selection.filter.matches(entry)
}

import type { KubeObject } from '@orrery/kinds'
import {
  badRequest,
  type FieldSelector,
  type LabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  requiredFieldValue,
} from '@orrery/kinds/values'
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

type LabelFilter = LabelSelector['matches']

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
  const usesContent = fields?.requirements.some(({ field }) => logic.selectable.includes(field)) === true
  const hasLabels = labels?.matches
  const hasFields = fields && fieldFilter(logic, fields.matches)
  // Converters keep the name and the namespace of an object, but may change its labels.
  if (logic.convertsRemotely && (labels !== undefined || usesContent)) {
    return { ...range, filter: undefined, served: servedFilter(hasLabels, hasFields) }
  }
  const key = `${labels?.text ?? ''}\n${fields?.text ?? ''}`
  const stored = hasFields && usesContent ? contentFilter(logic, hasFields) : hasFields
  return { ...range, filter: watchFilter(key, hasLabels, stored), served: undefined }
}

// A watch keeps its filter for as long as it is open. These functions keep no parsed requirements, which take many times the
// memory of a selector.

function servedFilter(hasLabels: LabelFilter | undefined, hasFields: ServedFilter | undefined): ServedFilter {
  return (object) => hasLabels?.(object.metadata.labels) !== false && hasFields?.(object) !== false
}

function watchFilter(
  key: string,
  hasLabels: LabelFilter | undefined,
  hasFields: ServedFilter | undefined,
): WatchFilter {
  return {
    key,
    matches: (entry) => hasLabels?.(entry.labels()) !== false && (hasFields === undefined || hasFields(entry.object())),
  }
}

function fieldFilter(logic: KindLogic, matches: FieldSelector['matches']): ServedFilter {
  return (object) => {
    const values = fieldsOf(logic, object)
    return matches((field) => values[field] ?? '')
  }
}

function contentFilter(logic: KindLogic, hasFields: ServedFilter): ServedFilter {
  return (object) => hasFields(logic.fromStorage(object) as KubeObject)
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

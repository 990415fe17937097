import type { KubeObject } from '@orrery/kinds'
import { badRequest, parseFieldSelector, parseLabelSelector, requiredFieldValue } from '@orrery/kinds/values'
import type { Entry } from '../store/types.js'
import type { WatchFilter } from '../watch/types.js'
import type { KindLogic } from './kind-logic.js'

/** The objects a list or watch is about. */
export interface Selection {
  /** Set when a field selector pins the namespace or the request names one. */
  readonly namespace: string | undefined
  /** Set when a field selector pins the name. */
  readonly name: string | undefined
  /** What is left to check on each object; undefined when every object in range matches. */
  readonly filter: WatchFilter | undefined
  /** Whether the filter asks for labels alone, which entries keep once they were read. */
  readonly onlyLabels: boolean
  /** The same where a webhook has to convert each object first. Then there is no `filter`. */
  readonly served: ServedFilter | undefined
}

/** Chooses among objects in the version of the request. */
export type ServedFilter = (object: KubeObject) => boolean

/** Reads label and field selectors. Throws a 400 for broken ones and for fields the kind cannot be selected by. */
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
  // Converters keep the name and the namespace of an object. Its labels they may change.
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

/** Built-in kinds can be asked for a namespace even where there are none. */
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

/** True when an entry is in range and passes the filter. */
export function selects(selection: Selection, entry: Entry): boolean {
  if (selection.name !== undefined && entry.name !== selection.name) return false
  return selection.filter === undefined || selection.filter.matches(entry)
}

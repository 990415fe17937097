import { badRequest, type KubeObject, parseFieldSelector, parseLabelSelector, requiredFieldValue } from '@orrery/kube'
import type { Entry } from '../store/types.js'
import type { WatchFilter } from '../watch/types.js'
import type { KindLogic } from './kindlogic.js'

/** The objects a list or watch is about. */
export interface Selection {
  /** Set when a field selector pins the namespace or the request names one. */
  readonly namespace: string | undefined
  /** Set when a field selector pins the name. */
  readonly name: string | undefined
  /** What is left to check on each object; undefined when every object in range matches. */
  readonly filter: WatchFilter | undefined
}

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
  if (labels === undefined && fields === undefined) return { namespace, name: undefined, filter: undefined }

  const selectsOnlyName = labels === undefined && fields?.requirements.length === 1 && name !== undefined
  const filter: WatchFilter | undefined = selectsOnlyName
    ? undefined
    : {
        key: `${labels?.text ?? ''}\n${fields?.text ?? ''}`,
        matches(entry) {
          const object = entry.object()
          if (labels !== undefined && !labels.matches(object.metadata.labels ?? NO_LABELS)) return false
          if (fields === undefined) return true
          const values = fieldsOf(logic, servedForm(logic, object))
          return fields.matches((field) => values[field] ?? '')
        },
      }
  return { namespace: namespace ?? pinnedNamespace, name, filter }
}

const NO_LABELS: Readonly<Record<string, string>> = {}

/** Fields are selected by as the client sees them. What has to be converted elsewhere first is taken as it is stored. */
function servedForm(logic: KindLogic, object: KubeObject): KubeObject {
  if (logic.selectable.length === 0 || logic.convertsRemotely) return object
  return logic.fromStorage(object) as KubeObject
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

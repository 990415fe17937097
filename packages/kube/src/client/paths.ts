import type { ObjectRef, ResourceType } from '@orrery/kinds'

/** The path of a kind's collection: in one namespace, or in all. */
export function collectionPath(kind: ResourceType, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  if (kind.scope === 'Cluster' || namespace === undefined || namespace === '') return `${root}/${kind.plural}`
  return `${root}/namespaces/${segment(namespace)}/${kind.plural}`
}

/** The path of an object, or of a subresource such as `status`. */
export function objectPath(kind: ResourceType, ref: ObjectRef, subresource?: string): string {
  // Untyped programs may pass undefined, which would become the name "undefined" in the path.
  if (!ref.name) throw new TypeError(`${kind.kind}: the object has no name`)
  const collection = collectionPath(kind, namespaceOf(kind, ref.namespace))
  const path = `${collection}/${segment(ref.name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** The collection that a new object is created in. */
export function creationPath(kind: ResourceType, namespace: string | undefined): string {
  return collectionPath(kind, namespaceOf(kind, namespace))
}

function namespaceOf(kind: ResourceType, namespace: string | undefined): string | undefined {
  if (kind.scope === 'Cluster') return undefined
  if (namespace === undefined || namespace === '') {
    throw new TypeError(`${kind.kind} is namespaced: set metadata.namespace`)
  }
  return namespace
}

/** A name as a path segment. Proxies may resolve `.` and `..`, which would change the target of the request. */
function segment(name: string): string {
  if (name === '.' || name === '..') throw new TypeError(`${JSON.stringify(name)} is not a valid object name`)
  return encodeURIComponent(name)
}

type QueryValue = string | number | boolean | undefined

/** `?a=1&b=x`, or an empty string. Undefined, empty and false values are omitted. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  let query = ''
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === undefined || value === '' || value === false) continue
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return query
}

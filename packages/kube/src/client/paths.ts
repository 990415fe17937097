import type { ObjectRef, ResourceType } from '@orrery/kinds'

/** The path of a kind's collection: in a namespace, or over all of them. */
export function collectionPath(kind: ResourceType, namespace: string | undefined): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`
  if (kind.scope === 'Cluster' || namespace === undefined || namespace === '') return `${root}/${kind.plural}`
  return `${root}/namespaces/${segment(namespace)}/${kind.plural}`
}

/** The path of one object, or of a part of it such as `status`. */
export function objectPath(kind: ResourceType, ref: ObjectRef, subresource?: string): string {
  // Programs without types may leave it undefined, which is a name like any other in a path.
  if (!ref.name) throw new TypeError(`${kind.kind}: the name of the object is missing`)
  const collection = collectionPath(kind, namespaceOf(kind, ref.namespace))
  const path = `${collection}/${segment(ref.name)}`
  return subresource === undefined ? path : `${path}/${subresource}`
}

/** The collection that a new object goes to. */
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

/** A name as a part of a path. Whatever stands in between may take dots for the way up: the request would mean more. */
function segment(name: string): string {
  if (name === '.' || name === '..') throw new TypeError(`${JSON.stringify(name)} cannot be the name of an object`)
  return encodeURIComponent(name)
}

type QueryValue = string | number | boolean | undefined

/** `?a=1&b=x`, or nothing. Undefined, empty and false values are left out. */
export function queryString(values: Readonly<Record<string, QueryValue>>): string {
  let query = ''
  for (const name of Object.keys(values)) {
    const value = values[name]
    if (value === undefined || value === '' || value === false) continue
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return query
}

import type { Subresource } from '@orrery/kinds/tables'
import { StatusError } from '@orrery/kinds/values'
import type { Resource } from '../kinds/resource.js'

/** Returns a namespaced resource with all verbs, unless overridden. */
export function resourceOf(group: string, version: string, kind: string, more: Partial<Resource> = {}): Resource {
  const singular = kind.toLowerCase()
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: `${singular}s`,
    singular,
    shortNames: [],
    categories: [],
    namespaced: true,
    verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
    schema: { type: 'struct', fields: new Map(), preserveUnknown: false, atomic: false, embedded: false },
    subresources: new Map(),
    storage: { bucket: `${group}/${singular}s`, version },
    columns: [],
    custom: false,
    ...more,
  }
}

export function subresourcesOf(...list: readonly Subresource[]): ReadonlyMap<string, Subresource> {
  return new Map(list.map((subresource) => [subresource.name, subresource]))
}

/** Matches an error by its status code. */
export function isStatusError(code: number): (error: unknown) => boolean {
  return (error) => error instanceof StatusError && error.code === code
}

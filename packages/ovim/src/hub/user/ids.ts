import type { ApiObject, Kind } from '@orrery/kinds'
import { organizationOf, SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { organizationNamespace } from '../../wire/vdc-payloads.js'

/** The organization in ids of public objects. No organization can have this name. */
export const PUBLIC = 'public'

const UID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The id of an object in paths: its name, or `{organization}.{name}` if it is in a namespace. */
export function idOf({ metadata: { namespace, name } }: ApiObject): string {
  return namespace === undefined ? name : `${ownerOf(namespace)}.${name}`
}

/** The organization of a namespace, as ids write it. */
export function ownerOf(namespace: string): string {
  return namespace === SYSTEM_NAMESPACE ? PUBLIC : (organizationOf(namespace) ?? namespace)
}

/** The object that an id names; undefined for a uid. */
export function parseId(
  { scope }: Pick<Kind<ApiObject, object>, 'scope'>,
  id: string,
): { namespace?: string; name: string } | undefined {
  if (UID.test(id)) return undefined
  if (scope === 'Cluster') return { name: id }
  const dot = id.indexOf('.')
  // Organizations have no dots in their names.
  const [organization, name] = dot < 0 ? ['', id] : [id.slice(0, dot), id.slice(dot + 1)]
  return { namespace: organization === PUBLIC ? SYSTEM_NAMESPACE : organizationNamespace(organization), name }
}

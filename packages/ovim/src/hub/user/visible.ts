import type { ApiObject, Kind } from '@orrery/kinds'
import { SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { accessTo } from '../access/permissions.js'
import type { Call } from '../server/router.js'
import type { UserContext } from './context.js'
import { PUBLIC } from './ids.js'

/** The objects of a kind that a caller may list: of the organizations of the caller, or of the one in the query, and public ones. */
export async function visibleObjects<T extends ApiObject>(
  context: UserContext,
  { caller, query }: Pick<Call, 'caller' | 'query'>,
  kind: Kind<T, object>,
): Promise<T[]> {
  const organization = query.get('organization')
  const own = await context.list(caller, kind, organization === PUBLIC ? undefined : organization)
  const access = accessTo('list', kind as never, { namespace: SYSTEM_NAMESPACE })
  const mayListPublic = await context.permissions.allows(caller, access)
  const open = mayListPublic ? context.informers.of(kind).list(SYSTEM_NAMESPACE) : []
  const all = [...new Map([...own, ...open].map((one) => [one.metadata.uid, one])).values()]
  return organization === PUBLIC ? all.filter(({ metadata }) => metadata.namespace === SYSTEM_NAMESPACE) : all
}

import { formatGroupVersion } from '@orrery/kinds/values'
import { type ApiResource, type Discovery, isNoMatch } from '@orrery/kube/discovery'
import type { WatchedRef } from './types.js'

type Typed = Pick<WatchedRef, 'group' | 'version' | 'resource'>

/** The kind of an object; undefined when the cluster has none such, and so no such objects. Throws when it cannot tell. */
export async function kindIfThere(
  discovery: Discovery,
  { group, version, resource }: Typed,
  signal: AbortSignal,
): Promise<ApiResource | undefined> {
  try {
    return await discovery.resource({ group, version, plural: resource }, { signal })
  } catch (error) {
    if (!isNoMatch(error)) throw error
    const { unavailable } = await discovery.catalog({ signal })
    // Who serves the kind may be away for a while, and the objects be there all the same.
    if (unavailable.has(formatGroupVersion(group, version))) throw error
    return undefined
  }
}

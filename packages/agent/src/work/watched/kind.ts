import { formatGroupVersion } from '@orrery/kinds/values'
import { type ApiResource, type Discovery, isNoMatch } from '@orrery/kube/discovery'
import type { WatchedRef } from './types.js'

type Typed = Pick<WatchedRef, 'group' | 'version' | 'resource'>

/**
 * The kind of an object; undefined if the cluster does not serve it, so that no such objects exist. Throws if that
 * cannot be determined.
 */
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
    // The API server of the kind may be unavailable while the objects exist.
    if (unavailable.has(formatGroupVersion(group, version))) throw error
    return undefined
  }
}

import type { ApiObject, Kind } from '@orrery/kinds'
import { isForbidden, isNotFound } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { ListOptions } from '@orrery/kube/client'

/** The objects of a kind that not every hub serves. */
export async function itemsIfServed<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  options: ListOptions,
): Promise<readonly T[]> {
  try {
    return (await client.list(kind, options)).items
  } catch (error) {
    if (isNotFound(error)) return []
    throw error
  }
}

/** The objects of a kind; none if the user may not list them. */
export async function itemsIfAllowed<T extends ApiObject>(
  client: KubeClient,
  kind: Kind<T, object>,
  options: ListOptions,
): Promise<readonly T[]> {
  try {
    return await itemsIfServed(client, kind, options)
  } catch (error) {
    if (isForbidden(error)) return []
    throw error
  }
}

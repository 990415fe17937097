import { ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1 } from '@orrery/api'
import type { ResourceType } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { KubeClient } from '@orrery/kube'
import type { CallOptions, Transport } from '@orrery/kube/client'

/** The versions of the add-on API that can be used. */
export type AddonApiVersion = 'v1beta1' | 'v1alpha1'

/** The version to use of those that a hub serves; undefined if it serves none. */
export async function servedVersion(transport: Transport, options: CallOptions): Promise<AddonApiVersion | undefined> {
  const client = new KubeClient(transport)
  if (await isServed(client, ManagedClusterAddOn, options)) return 'v1beta1'
  return (await isServed(client, ManagedClusterAddOnV1Alpha1, options)) ? 'v1alpha1' : undefined
}

async function isServed(client: KubeClient, kind: ResourceType, options: CallOptions): Promise<boolean> {
  const { group, version, plural } = kind
  try {
    const path = `/apis/${group}/${version}`
    const { resources = [] } = await client.getJson<{ resources?: { name: string }[] }>(path, options)
    return resources.some(({ name }) => name === plural)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

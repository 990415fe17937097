import { AGENT_NAMESPACE, spokeCrds } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { ensureCrds } from '@orrery/kube/write'

/**
 * Installs what an agent needs on its cluster: its namespace, and the CustomResourceDefinitions of `spokeCrds`. Resolves when
 * they are served. Writes nothing that is up to date.
 */
export async function installSpoke(client: KubeClient, namespace: string = AGENT_NAMESPACE): Promise<void> {
  const isThere = (await client.find(Namespace, { name: namespace })) !== undefined
  const options = { fieldManager: 'orrery-spoke' }
  if (!isThere) await client.apply(Namespace, { metadata: { name: namespace } }, options)
  await ensureCrds(client, spokeCrds(), options)
}

import { ADDON_INSTALL_NAMESPACE_LABEL, ADDON_NAMESPACE, AGENT_NAMESPACE, spokeCrds } from '@orrery/api'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { ensureCrds } from '@orrery/kube/write'
import { ensureNamespace } from './namespace.js'

/**
 * Installs what an agent needs on its cluster: its namespace, that of add-ons, and the CustomResourceDefinitions of `spokeCrds`. Resolves when
 * they are served. Writes nothing that is up to date.
 */
export async function installSpoke(client: KubeClient, namespace: string = AGENT_NAMESPACE): Promise<void> {
  const isThere = (await client.find(Namespace, { name: namespace })) !== undefined
  const options = { fieldManager: 'orrery-spoke' }
  if (!isThere) await client.apply(Namespace, { metadata: { name: namespace } }, options)
  await ensureNamespace(client, ADDON_NAMESPACE, { [ADDON_INSTALL_NAMESPACE_LABEL]: 'true' })
  await ensureCrds(client, spokeCrds(), options)
}

import { Namespace } from '@orrery/kinds'
import { isAlreadyExists, isForbidden, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'

/** Creates a namespace if it is missing. An agent that may not do so relies on others to create it. */
export async function ensureNamespace(
  spoke: KubeClient,
  name: string,
  labels: Readonly<Record<string, string>> = {},
  call: CallOptions = {},
): Promise<void> {
  try {
    if ((await spoke.find(Namespace, { name }, call)) !== undefined) return
    await spoke.create(Namespace, { metadata: { name, labels: { ...labels } } }, call)
  } catch (error) {
    if (!isForbidden(error) && !isAlreadyExists(error)) throw error
  }
}

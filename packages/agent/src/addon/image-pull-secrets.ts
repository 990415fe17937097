import { ADDON_INSTALL_NAMESPACE_LABEL, COPIED_FROM_LABEL, IMAGE_PULL_SECRET } from '@orrery/api'
import { Namespace, type ObjectRef, Secret } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import { semanticEqual } from '@orrery/kube/write'
import type { SpokeContext } from '../context.js'

/**
 * Copies the image pull secret from the namespace of the agent to all namespaces of add-ons, and follows its changes. A copy stays in a
 * namespace that loses the label. Corresponds to the `AddonPullImageSecretController` of Open Cluster Management.
 */
export function imagePullSecrets({ spoke, spokeInformers, agentNamespace }: SpokeContext): ControllerSpec {
  const namespaces = spokeInformers.of(Namespace, { labelSelector: `${ADDON_INSTALL_NAMESPACE_LABEL}=true` })
  const secrets = spokeInformers.of(Secret, { fieldSelector: `metadata.name=${IMAGE_PULL_SECRET}` })
  const affectedBy = ({ metadata: { namespace } }: Secret): ObjectRef[] =>
    namespace === agentNamespace
      ? namespaces.list().map(({ metadata }) => ({ name: metadata.name }))
      : [{ name: namespace }]
  return {
    name: 'addon-image-pull-secrets',
    wakes: [each(namespaces), each(secrets, affectedBy)],
    async reconcile({ name: namespace }, { signal }) {
      const target = namespaces.get({ name: namespace })
      if (target === undefined || isBeingDeleted(target) || namespace === agentNamespace) return
      const source = secrets.get({ namespace: agentNamespace, name: IMAGE_PULL_SECRET })
      const copy = secrets.get({ namespace, name: IMAGE_PULL_SECRET })
      const copiedFrom = copy?.metadata.labels?.[COPIED_FROM_LABEL]
      if (source === undefined) {
        // Only a copy: without a source, users may have created one for this namespace.
        if (copy !== undefined && copiedFrom === agentNamespace) await remove(copy, signal)
        return
      }
      // The agent for another hub keeps it.
      if (copiedFrom !== undefined && copiedFrom !== agentNamespace) return
      const wanted = copyOf(source, namespace)
      if (copy === undefined) await spoke.create(Secret, wanted, { signal })
      // The type of a Secret cannot change: the deletion wakes this controller again.
      else if (copy.type !== source.type) await remove(copy, signal)
      else if (!semanticEqual(copy.data, source.data) || copiedFrom === undefined) {
        await spoke.update(
          Secret,
          { ...copy, ...wanted, metadata: { ...copy.metadata, ...wanted.metadata } },
          { signal },
        )
      }
    },
  }

  function remove({ metadata }: Secret, signal: AbortSignal): Promise<void> {
    return spoke.ensureDeleted(Secret, metadata, { preconditions: { uid: metadata.uid }, signal })
  }

  function copyOf({ type, data = {} }: Secret, namespace: string) {
    const labels = { [COPIED_FROM_LABEL]: agentNamespace }
    return { metadata: { namespace, name: IMAGE_PULL_SECRET, labels }, ...(type !== undefined && { type }), data }
  }
}

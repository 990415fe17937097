import { Namespace, StorageClass } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { DEFAULT_CLASS, IS_DEFAULT_CLASS, PROVISIONER } from './names.js'

/** Creates the default StorageClass if the cluster has none at the start. */
export function defaultStorageClass({ informers }: WorkloadContext): ControllerSpec {
  const classes = informers.of(StorageClass)
  // Exists in every cluster and rarely changes; it is only needed to wake the controller at the start.
  const system = informers.of(Namespace, { fieldSelector: 'metadata.name=kube-system' })
  return {
    name: 'default-storage-class',
    wakes: [each(system)],
    async reconcile(_, { client, signal }) {
      await classes.whenSynced(signal)
      if (classes.size > 0) return
      try {
        await client.create(
          StorageClass,
          {
            metadata: { name: DEFAULT_CLASS, annotations: { [IS_DEFAULT_CLASS]: 'true' } },
            provisioner: PROVISIONER,
            reclaimPolicy: 'Delete',
            volumeBindingMode: 'WaitForFirstConsumer',
          },
          { signal },
        )
      } catch (error) {
        if (!isAlreadyExists(error)) throw error
      }
    },
  }
}

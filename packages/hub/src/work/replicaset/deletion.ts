import {
  ManifestWork,
  ManifestWorkReplicaSet,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  ReplicaSetCondition,
  ReplicaSetReason,
} from '@orrery/api'
import { isBeingDeleted, type KubeClient, removeFinalizer, writeConditions } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { inParallel } from '../../parallel.js'
import { someClusters } from './messages.js'
import { keyProblem, replicaSetKey } from './names.js'
import { deleteWork } from './obsolete-works.js'

/** Deletes the works of a deleted replica set, and removes its finalizer: at once, or with `Foreground` when they are gone. */
export async function finishDeletion(
  { client, clock }: { readonly client: KubeClient; readonly clock: Clock },
  set: ManifestWorkReplicaSet,
  known: readonly ManifestWork[],
  call: CallOptions,
): Promise<void> {
  const isForeground = set.spec?.cascadeDeletionPolicy === 'Foreground'
  if (isForeground && known.length > 0) {
    await deleteAll(client, known, call)
    const clusters = [...new Set(known.map(({ metadata }) => metadata.namespace))].sort()
    const finding = {
      type: ReplicaSetCondition.ManifestworkApplied,
      status: 'False',
      reason: ReplicaSetReason.Processing,
      message: `the replica set is being deleted; there are still ManifestWorks for ${someClusters(clusters)}`,
      observedGeneration: set.metadata.generation,
    } as const
    await writeConditions(client, ManifestWorkReplicaSet, set, [finding], { clock, ...call })
    return
  }
  // Informers may not have works that were just created, and nothing would delete them later.
  if (keyProblem(set) === undefined) {
    await deleteAll(client, await liveWorks(client, set, call), call)
    if (isForeground && (await liveWorks(client, set, call)).length > 0) return
  }
  await removeFinalizer(client, ManifestWorkReplicaSet, set, REPLICA_SET_FINALIZER, call)
}

async function liveWorks(client: KubeClient, set: ManifestWorkReplicaSet, call: CallOptions): Promise<ManifestWork[]> {
  const works: ManifestWork[] = []
  const labelSelector = `${REPLICA_SET_LABEL}=${replicaSetKey(set.metadata)}`
  for await (const { items } of client.pages(ManifestWork, { labelSelector, ...call })) works.push(...items)
  return works
}

async function deleteAll(client: KubeClient, works: readonly ManifestWork[], call: CallOptions): Promise<void> {
  const lasting = works.filter((work) => !isBeingDeleted(work))
  const failures = await inParallel(lasting, (work) => deleteWork(client, work, call))
  if (failures.length > 0) throw failures[0]
}

import {
  ManifestWork,
  ManifestWorkReplicaSet,
  REPLICA_SET_LABEL,
  ReplicaSetCondition,
  WorkCondition,
} from '@orrery/api'
import { findCondition, jsonEqual } from '@orrery/kinds/values'
import type { Informers, KubeClient } from '@orrery/kube'
import { awaiting, watchOne } from '@orrery/kube/informer'
import { hasCurrentCondition } from '../work/current-condition.js'
import { replicaSetKey } from '../work/replicaset/names.js'

/**
 * Resolves when all clusters have applied the current template of a part of a replica set. Open Cluster Management's
 * controller does not report the generation of its conditions: then the works of all parts are checked.
 */
export async function whenRolledOut(
  client: KubeClient,
  part: ManifestWorkReplicaSet,
  parts: readonly ManifestWorkReplicaSet[],
  signal: AbortSignal,
): Promise<void> {
  const isReported = await awaiting(client, (informers, onChange) => watchCondition(informers, part, onChange), signal)
  if (isReported) return
  const keys = [...new Set([part, ...parts].map(({ metadata }) => replicaSetKey(metadata)))]
  const labelSelector = `${REPLICA_SET_LABEL} in (${keys.join(',')})`
  // Informers would retry a forbidden request forever.
  await client.list(ManifestWork, { labelSelector, limit: 1, signal })
  await awaiting(
    client,
    (informers, onChange) => {
      const works = informers.of(ManifestWork, { labelSelector })
      works.subscribe(onChange)
      return () => (isOnAllClusters(part, works.list()) ? true : undefined)
    },
    signal,
  )
}

/** True when the replica set reports that this generation is rolled out, false if it does not report the generation. */
function watchCondition(informers: Informers, { metadata }: ManifestWorkReplicaSet, onChange: () => void) {
  const { generation = 0 } = metadata
  const setNow = watchOne(informers, ManifestWorkReplicaSet, metadata, onChange)
  return () => {
    const condition = findCondition(setNow()?.status?.conditions, ReplicaSetCondition.PlacementRolledOut)
    if (condition === undefined) return undefined
    if (condition.observedGeneration === undefined) return false
    return condition.status === 'True' && condition.observedGeneration >= generation ? true : undefined
  }
}

/** Whether each cluster with works of any part has applied the manifests of this one. */
function isOnAllClusters({ metadata, spec }: ManifestWorkReplicaSet, works: readonly ManifestWork[]): boolean {
  const key = replicaSetKey(metadata)
  const manifests = spec?.manifestWorkTemplate?.workload?.manifests
  const applied = works.filter(
    (work) =>
      work.metadata.labels?.[REPLICA_SET_LABEL] === key &&
      jsonEqual(work.spec?.workload?.manifests, manifests) &&
      hasCurrentCondition(work, WorkCondition.Applied, 'True'),
  )
  const clusters = new Set(applied.map((work) => work.metadata.namespace))
  return works.every((work) => clusters.has(work.metadata.namespace))
}

import { ManifestWork, WorkCondition } from '@orrery/api'
import { findCondition, type KubeClient } from '@orrery/kube'
import { awaiting } from './awaiting.js'
import { OperationError } from './operationerror.js'

/** The work, as soon as its cluster has tried to apply all that it wants now. */
export function whenWorkTried(
  client: KubeClient,
  cluster: string,
  name: string,
  signal: AbortSignal,
): Promise<ManifestWork> {
  return awaiting(
    client,
    (informers, onChange) => {
      const works = informers.of(ManifestWork, { namespace: cluster, fieldSelector: `metadata.name=${name}` })
      works.subscribe(onChange)
      return () => {
        const work = works.get({ namespace: cluster, name })
        if (work === undefined) throw new OperationError(`work ${name} of cluster ${cluster} is gone`)
        const applied = findCondition(work.status?.conditions, WorkCondition.Applied)
        return applied?.observedGeneration === work.metadata.generation ? work : undefined
      }
    },
    signal,
  )
}

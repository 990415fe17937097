import { Job, Pod } from '@orrery/kinds'
import { type ControllerSpec, each, hasFinalizer, removeFinalizer } from '@orrery/kube'
import { controllerOf } from '@orrery/kube/write'
import type { WorkloadContext } from '../context.js'
import { TRACKING_FINALIZER } from './names.js'

/** Removes the tracking finalizer from pods whose Job no longer exists. */
export function orphanedJobPods({ informers, pods }: WorkloadContext): ControllerSpec {
  const jobs = informers.of(Job)
  const ownerOf = (pod: Pod) => {
    const owner = controllerOf(pod)
    return owner?.kind === 'Job' ? { namespace: pod.metadata.namespace, name: owner.name, uid: owner.uid } : undefined
  }
  const isOrphan = (pod: Pod) => {
    if (!hasFinalizer(pod, TRACKING_FINALIZER)) return false
    const owner = ownerOf(pod)
    return owner === undefined || jobs.get(owner)?.metadata.uid !== owner.uid
  }
  return {
    name: 'orphaned-job-pods',
    wakes: [
      each(pods, undefined, { when: ({ after }) => after !== undefined && isOrphan(after) }),
      each(
        jobs,
        ({ metadata: { namespace, uid } }) =>
          pods
            .list(namespace)
            .filter((pod) => ownerOf(pod)?.uid === uid)
            .map(({ metadata }) => metadata),
        { when: ({ after }) => after === undefined },
      ),
    ],
    concurrency: 5,
    async reconcile(ref, { client, signal }) {
      const pod = pods.get(ref)
      if (pod === undefined || !isOrphan(pod)) return
      const owner = ownerOf(pod)
      // Read from the server, since the informer can show a pod before the Job that created it.
      const job = owner && (await client.find(Job, owner, { signal }))
      if (job !== undefined && job.metadata.uid === owner?.uid) return
      await removeFinalizer(client, Pod, pod, TRACKING_FINALIZER, { signal })
    },
  }
}

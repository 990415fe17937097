import { Job } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted, requeueAt } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { finalCondition } from './finish.js'

/** The TTL-after-finished controller: deletes finished Jobs after `ttlSecondsAfterFinished`. */
export function finishedJobs({ informers, clock }: WorkloadContext): ControllerSpec {
  const jobs = informers.of(Job)
  return {
    name: 'ttl-after-finished',
    wakes: [each(jobs)],
    async reconcile(ref, { client, signal }) {
      const job = jobs.get(ref)
      const ended = job && finalCondition(job)?.lastTransitionTime
      const seconds = job?.spec.ttlSecondsAfterFinished
      if (job === undefined || isBeingDeleted(job) || ended === undefined || seconds === undefined) return undefined
      const due = new Date(Date.parse(ended) + seconds * 1000)
      if (due > clock.now()) return requeueAt(due)
      const { uid, resourceVersion } = job.metadata
      // A user may have increased the TTL; then the Job is reconciled again.
      await client.ensureDeleted(Job, ref, {
        propagationPolicy: 'Foreground',
        preconditions: { uid, resourceVersion },
        signal,
      })
      return undefined
    },
  }
}

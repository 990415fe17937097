import type { CronJob, Job } from '@orrery/kinds'
import { finalCondition } from '../job/finish.js'

/** The oldest jobs that are over, beyond as many as are to be kept of those that succeeded and of those that failed. */
export function surplusJobs({ spec }: CronJob, jobs: readonly Job[]): Job[] {
  const ended = (type: string) => jobs.filter((job) => finalCondition(job)?.type === type)
  return [
    ...oldest(ended('Complete'), spec.successfulJobsHistoryLimit ?? 3),
    ...oldest(ended('Failed'), spec.failedJobsHistoryLimit ?? 1),
  ]
}

function oldest(jobs: Job[], kept: number): Job[] {
  const startedAt = ({ status, metadata }: Job) => Date.parse(status?.startTime ?? metadata.creationTimestamp)
  const sorted = jobs.sort((a, b) => startedAt(a) - startedAt(b) || (a.metadata.name < b.metadata.name ? -1 : 1))
  return sorted.slice(0, Math.max(0, sorted.length - kept))
}

import type { CronJob, Job } from '@orrery/kinds'
import { finalCondition } from '../job/finish.js'

/** Returns the oldest finished Jobs beyond the history limits for succeeded and failed ones. */
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

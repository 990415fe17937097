import type { Standing } from '../../rollout/index.js'
import type { Course, Outcome } from './handout.js'
import type { Member, Members } from './members.js'
import { describeProgress } from './progress.js'
import { shortened } from './shortened.js'

/** How many clusters a message names. */
const MOST_NAMED = 5

/** Some things, the first few by name. */
export function someOf(parts: readonly string[], separator = ', '): string {
  const more = parts.length - MOST_NAMED
  if (more <= 0) return parts.join(separator)
  return `${parts.slice(0, MOST_NAMED).join(separator)}${separator}and ${more} more`
}

/** What clusters cannot be given the latest template, and why. */
export function problemsIn(members: Members): string[] {
  return [...members.values()]
    .filter(({ problem }) => problem !== undefined)
    .map(({ cluster, problem = '' }) => `${cluster}: ${shortened(problem)}`)
}

/** What a rollout waits for, or why it goes no further; nothing when all is done. */
export function rolloutNews(placement: string, course: Course, { members }: Outcome): string[] {
  if ('problem' in course) return [`placement ${placement}: ${course.problem}`]
  const { standings, halt } = course.plan
  const standing = (...wanted: Standing[]) =>
    [...standings].filter(([, one]) => wanted.includes(one)).map(([cluster]) => cluster)
  const told = (clusters: readonly string[]) =>
    someOf(clusters.map((cluster) => `${cluster} (${reasonFor(members.get(cluster))})`))
  const news: string[] = []
  const failed = standing('failed')
  const late = standing('timedOut')
  if (halt !== undefined) {
    news.push(`stopped, since ${halt.clusters.length} failed and no more than ${halt.allowed} may`)
  }
  if (failed.length > 0) news.push(`failed: ${told(failed)}`)
  if (late.length > 0) news.push(`took longer than progressDeadline: ${told(late)}`)
  const underway = standing('underway')
  if (underway.length > 0) news.push(`waiting for ${told(underway)}`)
  const settling = standing('settling')
  const queued = standing('queued').length
  if (settling.length > 0 && queued > 0) {
    news.push(`waiting until minSuccessTime is over for ${someOf(settling)}`)
  }
  if (queued > 0) news.push(`${queued} of ${standings.size} clusters have yet to get the latest manifests`)
  return news.length === 0 ? [] : [`placement ${placement}: ${news.join('; ')}`]
}

function reasonFor(member: Member | undefined): string {
  return member?.work === undefined ? 'it has no work yet' : describeProgress(member.work)
}

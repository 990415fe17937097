import type { Standing } from '../../rollout/index.js'
import type { Course, Outcome } from './hand-out.js'
import type { Member, Members } from './members.js'
import { describeProgress } from './progress.js'
import { shortened } from './shortened.js'

/** How many clusters a message names. */
const MOST_NAMED = 5

/** Some things, the first few in words. */
export function someOf<T>(things: readonly T[], describe: (thing: T) => string, separator = ', '): string {
  const named = things.slice(0, MOST_NAMED).map(describe)
  const more = things.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

/** Some clusters, the first few by name. */
export function someClusters(names: readonly string[]): string {
  return someOf(names, (name) => name)
}

/** What clusters cannot be given the latest template, and why; undefined when all can. */
export function problemsIn(members: Members): string | undefined {
  const unable = [...members.values()].filter(({ problem }) => problem !== undefined)
  if (unable.length === 0) return undefined
  return someOf(unable, ({ cluster, problem = '' }) => `${cluster}: ${shortened(problem)}`, '; ')
}

/** What clusters have works that nobody is there to apply, and why; undefined when there are none. */
export function absencesIn(members: Members): string | undefined {
  const absent = [...members.values()].filter(({ absence, problem }) => absence !== undefined && problem === undefined)
  return absent.length === 0 ? undefined : someOf(absent, ({ cluster, absence }) => `${cluster}: ${absence}`, '; ')
}

/** What a rollout waits for, or why it goes no further; nothing when all is done. */
export function rolloutNews(placement: string, course: Course, { members }: Outcome): string[] {
  if ('problem' in course) return [`placement ${placement}: ${course.problem}`]
  const { standings, halt } = course.plan
  const standing = (...wanted: Standing[]) =>
    [...standings].filter(([, one]) => wanted.includes(one)).map(([cluster]) => cluster)
  const told = (clusters: readonly string[]) =>
    someOf(clusters, (cluster) => `${cluster} (${reasonFor(members.get(cluster))})`)
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
    news.push(`waiting until minSuccessTime is over for ${someClusters(settling)}`)
  }
  if (queued > 0) news.push(`${queued} of ${standings.size} clusters have yet to get the latest manifests`)
  return news.length === 0 ? [] : [`placement ${placement}: ${news.join('; ')}`]
}

function reasonFor(member: Member | undefined): string {
  if (member?.work === undefined) return 'it has no work yet'
  return member.absence ?? describeProgress(member.work)
}

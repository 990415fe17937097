import type { RolloutStatus } from '../../rollout/index.js'
import type { Member, Members } from './members.js'
import { describeProgress } from './progress.js'
import type { PlacementRollout, RolloutResult } from './rollout.js'
import { truncated } from './truncated.js'

/** How many clusters a message lists. */
const MAX_LISTED = 5

/** The first few items of a list, and the number of the others. */
function someOf<T>(items: readonly T[], describe: (item: T) => string, separator = ', '): string {
  const named = items.slice(0, MAX_LISTED).map(describe)
  const more = items.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join(separator)
}

/** The names of the first few clusters, and the number of the others. */
export function someClusters(names: readonly string[]): string {
  return someOf(names, (name) => name)
}

/** The clusters whose works cannot be written, and why; undefined if there are none. */
export function problemsIn(members: Members): string | undefined {
  const unable = [...members.values()].filter(({ problem }) => problem !== undefined)
  if (unable.length === 0) return undefined
  return someOf(unable, ({ cluster, problem = '' }) => `${cluster}: ${truncated(problem)}`, '; ')
}

/** The clusters with works that no agent applies, and why; undefined if there are none. */
export function absencesIn(members: Members): string | undefined {
  const absent = [...members.values()].filter(({ absence, problem }) => absence !== undefined && problem === undefined)
  return absent.length === 0 ? undefined : someOf(absent, ({ cluster, absence }) => `${cluster}: ${absence}`, '; ')
}

/** What a rollout waits for, or why it is stopped; nothing when it is complete. */
export function rolloutMessages(placement: string, rollout: PlacementRollout, { members }: RolloutResult): string[] {
  if ('problem' in rollout) return [`placement ${placement}: ${rollout.problem}`]
  const { statuses, breach } = rollout.plan
  const having = (wanted: RolloutStatus) =>
    [...statuses].filter(([, status]) => status === wanted).map(([cluster]) => cluster)
  const listed = (clusters: readonly string[]) =>
    someOf(clusters, (cluster) => `${cluster} (${reasonFor(members.get(cluster))})`)
  const messages: string[] = []
  if (breach !== undefined) {
    messages.push(`stopped: ${breach.clusters.length} failed, maxFailures is ${breach.maxFailures}`)
  }
  const failed = having('Failed')
  if (failed.length > 0) messages.push(`failed: ${listed(failed)}`)
  const timedOut = having('TimeOut')
  if (timedOut.length > 0) messages.push(`progressDeadline exceeded: ${listed(timedOut)}`)
  const progressing = having('Progressing')
  if (progressing.length > 0) messages.push(`waiting for ${listed(progressing)}`)
  const settling = having('Settling')
  const waiting = having('ToApply').length
  if (settling.length > 0 && waiting > 0) {
    messages.push(`waiting for minSuccessTime of ${someClusters(settling)}`)
  }
  if (waiting > 0) messages.push(`${waiting} of ${statuses.size} clusters do not have the latest manifests yet`)
  return messages.length === 0 ? [] : [`placement ${placement}: ${messages.join('; ')}`]
}

function reasonFor(member: Member | undefined): string {
  if (member?.work === undefined) return 'it has no ManifestWork yet'
  return member.absence ?? describeProgress(member.work)
}

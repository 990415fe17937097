import type { ExpiredScore, Schedule } from './scheduling/index.js'

/** Events have 1,024 bytes at most. */
const MAX_NOTE = 1_000

/** The scores of clusters for an event, by cluster: `cluster1:100 cluster2:80 `. */
export function scoreNote(schedule: Schedule): string {
  let note = ''
  for (const { clusterName, score } of schedule.totals()) {
    const part = `${clusterName}:${score} `
    if (note.length + part.length > MAX_NOTE) return `${note}......`
    note += part
  }
  return note
}

/** Which scores do not count any more, for an event. */
export function expiredNote(expired: readonly ExpiredScore[]): string | undefined {
  const [first] = expired
  if (first === undefined) return undefined
  const { prioritizer } = first
  const objects = expired
    .filter((one) => one.prioritizer === prioritizer)
    .map(({ cluster, resource }) => ` ${cluster}/${resource}`)
  const text = objects.join('')
  return `AddOnPlacementScores${text.length > MAX_NOTE / 2 ? `${text.slice(0, MAX_NOTE / 2)}......` : text} expired in plugin ${prioritizer}`
}

import type { Pod } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { isReady, restartsOf } from './podstate.js'

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost'
const PHASES = ['Pending', 'Unknown', 'Running']

/** Returns the pods to delete first (`ActivePodsWithRanks`). Pods that share a node with many of `peers` come early. */
export function leastMissed(pods: readonly Pod[], peers: readonly Pod[], count: number, now: Date): Pod[] {
  if (count >= pods.length) return [...pods]
  const crowds = new Map<string, number>()
  for (const { spec } of peers) {
    if (spec.nodeName !== undefined) crowds.set(spec.nodeName, (crowds.get(spec.nodeName) ?? 0) + 1)
  }
  const ranked = pods.map((pod) => ({ pod, rank: rankOf(pod, crowds.get(pod.spec.nodeName ?? '') ?? 0, now) }))
  ranked.sort((a, b) => compareRanks(a.rank, b.rank) || (a.pod.metadata.uid < b.pod.metadata.uid ? -1 : 1))
  return ranked.slice(0, count).map(({ pod }) => pod)
}

/** The criteria in order of importance; pods with the smaller number are deleted first. */
function rankOf(pod: Pod, crowd: number, now: Date): readonly number[] {
  const isAssigned = (pod.spec.nodeName ?? '') !== ''
  const ready = isReady(pod)
  const readySince = ready ? findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime : undefined
  return [
    Number(isAssigned),
    PHASES.indexOf(pod.status?.phase ?? 'Unknown'),
    Number(ready),
    costOf(pod),
    -crowd,
    ready ? magnitude(readySince, now) : 0,
    -restartsOf(pod),
    magnitude(pod.metadata.creationTimestamp, now),
  ]
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** Ages are compared on a logarithmic scale, so that the youngest pod is not always deleted. */
function magnitude(since: string | undefined, now: Date): number {
  const seconds = since === undefined ? 0 : (now.getTime() - Date.parse(since)) / 1000
  return seconds < 1 ? 0 : 1 + Math.floor(Math.log2(seconds))
}

function costOf({ metadata }: Pod): number {
  const text = metadata.annotations?.[DELETION_COST] ?? '0'
  return /^-?\d{1,10}$/.test(text) ? Number(text) : 0
}

import type { Node, Pod } from '@orrery/kinds'
import { termMatches } from '../nodes/affinity.js'
import { amountsOf, freeOn } from '../nodes/resources.js'
import { taintsOf, untolerated } from '../nodes/taints.js'

export interface ScoredNode {
  readonly node: Node
  /** The pods of the node. */
  readonly there: readonly Pod[]
}

/**
 * Returns the node with the best score: preferred affinity first, then no `PreferNoSchedule` taints, then the most free
 * resources.
 */
export function bestNode(pod: Pod, nodes: readonly ScoredNode[]): Node | undefined {
  const scored = nodes.map((candidate) => ({ node: candidate.node, score: scoreOf(pod, candidate) }))
  scored.sort((a, b) => b.score - a.score || (a.node.metadata.name < b.node.metadata.name ? -1 : 1))
  return scored[0]?.node
}

function scoreOf(pod: Pod, { node, there }: ScoredNode): number {
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []
  const wish = preferred.reduce((sum, { weight, preference }) => sum + (termMatches(preference, node) ? weight : 0), 0)
  const isAvoided = untolerated(taintsOf(node), pod.spec.tolerations, ['PreferNoSchedule']) !== undefined
  const siblings = there.filter((other) => isSibling(pod, other)).length
  return wish - (isAvoided ? 100 : 0) - siblings + roomOn(node, there)
}

/** Returns the free share of the scarcest resource, from 0 to 1. */
function roomOn(node: Node, there: readonly Pod[]): number {
  const all = amountsOf(node.status?.allocatable)
  const free = freeOn(node, there)
  let room = 1
  for (const name of ['cpu', 'memory', 'pods']) {
    const total = all.get(name) ?? 0n
    if (total > 0n) room = Math.min(room, Number(free.get(name) ?? 0n) / Number(total))
  }
  return room
}

function isSibling(pod: Pod, other: Pod): boolean {
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
  return owner !== undefined && (other.metadata.ownerReferences ?? []).some(({ uid }) => uid === owner)
}

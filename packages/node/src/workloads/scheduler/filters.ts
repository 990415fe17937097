import type { Node, Pod } from '@orrery/kinds'
import { wantsNode } from '../nodes/affinity.js'
import { hasPortConflict, NO_FREE_PORTS } from '../nodes/host-ports.js'
import { type Amounts, freeOn, lacking } from '../nodes/resources.js'
import { taintsOf, UNSCHEDULABLE, untolerated } from '../nodes/taints.js'

/** A pod to schedule. */
export interface Candidate {
  readonly pod: Pod
  readonly requests: Amounts
  /** Returns why its volumes exclude a node. */
  readonly volumeObstacle: (node: Node) => string | undefined
}

/**
 * Returns why a pod cannot run on a node, with the scheduler's messages; empty if it can. `there` contains the pods of
 * the node.
 */
export function obstaclesOn(node: Node, there: readonly Pod[], { pod, requests, volumeObstacle }: Candidate): string[] {
  const { spec } = pod
  const taint = untolerated(taintsOf(node), spec.tolerations, ['NoSchedule', 'NoExecute'])
  if (taint?.key === UNSCHEDULABLE) return ['node(s) were unschedulable']
  if (taint !== undefined) return ['node(s) had untolerated taint(s)']
  if (!wantsNode(spec, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  if (hasPortConflict(pod, () => there)) return [NO_FREE_PORTS]
  const short = lacking(requests, freeOn(node, there))
  if (short.length > 0) return short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
  const volume = volumeObstacle(node)
  return volume === undefined ? [] : [volume]
}

/** Returns a message such as `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function unavailableMessage(nodes: number, obstacles: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const obstacle of obstacles) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1)
  const reasons = Array.from(counts, ([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodes} nodes are available: ${reasons.join(', ')}.`
}

import type { Node, Pod } from '@orrery/kube/kinds'
import { wantsNode } from '../nodes/affinity.js'
import { type Amounts, freeOn, lacking } from '../nodes/resources.js'
import { taintsOf, UNSCHEDULABLE, untolerated } from '../nodes/taints.js'
import { isFinished } from '../podstate.js'

/** A pod that looks for a node. */
export interface Candidate {
  readonly pod: Pod
  readonly requests: Amounts
  /** Why its volumes keep it from a node. */
  readonly volumeObstacle: (node: Node) => string | undefined
}

/** Why a pod cannot run on a node, in the words of the scheduler; nothing when it can. `there` is what runs on it. */
export function obstaclesOn(node: Node, there: readonly Pod[], { pod, requests, volumeObstacle }: Candidate): string[] {
  const { spec } = pod
  const taint = untolerated(taintsOf(node), spec.tolerations, ['NoSchedule', 'NoExecute'])
  if (taint?.key === UNSCHEDULABLE) return ['node(s) were unschedulable']
  if (taint !== undefined) return ['node(s) had untolerated taint(s)']
  if (!wantsNode(spec, node)) return ["node(s) didn't match Pod's node affinity/selector"]
  if (hasPortConflict(pod, there)) return ["node(s) didn't have free ports for the requested pod ports"]
  const short = lacking(requests, freeOn(node, there))
  if (short.length > 0) return short.map((name) => (name === 'pods' ? 'Too many pods' : `Insufficient ${name}`))
  const volume = volumeObstacle(node)
  return volume === undefined ? [] : [volume]
}

interface HostPort {
  readonly ip: string
  readonly protocol: string
  readonly port: number
}

const EVERYWHERE = '0.0.0.0'

function hasPortConflict(pod: Pod, there: readonly Pod[]): boolean {
  const wanted = hostPortsOf(pod)
  if (wanted.length === 0) return false
  const taken = there.filter((other) => !isFinished(other)).flatMap(hostPortsOf)
  return wanted.some((one) => taken.some((other) => collide(one, other)))
}

function hostPortsOf({ spec }: Pod): HostPort[] {
  return [...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'), ...spec.containers]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0)
    .map(({ hostPort = 0, protocol = 'TCP', hostIP }) => ({ ip: hostIP || EVERYWHERE, protocol, port: hostPort }))
}

function collide(a: HostPort, b: HostPort): boolean {
  const sameAddress = a.ip === b.ip || a.ip === EVERYWHERE || b.ip === EVERYWHERE
  return a.port === b.port && a.protocol === b.protocol && sameAddress
}

/** `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable.` */
export function unavailableMessage(nodes: number, obstacles: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const obstacle of obstacles) counts.set(obstacle, (counts.get(obstacle) ?? 0) + 1)
  const reasons = Array.from(counts, ([reason, count]) => `${count} ${reason}`).sort()
  return `0/${nodes} nodes are available: ${reasons.join(', ')}.`
}

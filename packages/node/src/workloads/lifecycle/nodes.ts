import { type JsonObject, Lease, Node, type NodeCondition, Pod, type PodCondition } from '@orrery/kinds'
import { formatTime, isConditionTrue } from '@orrery/kinds/values'
import { type ControllerSpec, each, requeueAt, writeStatus } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isReady } from '../podstate.js'
import { taintsFor } from './node-taints.js'

const COMPONENT = 'node-controller'
const LEASES = 'kube-node-lease'
/** The time without a lease renewal after which a node is unreachable. */
const GRACE = 50_000
const HEALTH = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/**
 * The node lifecycle controller: marks nodes whose lease is not renewed as `Unknown`, sets the taints for node
 * conditions, and marks the pods of unreachable nodes as not ready. A node that never had a lease is assumed to be what
 * its status reports.
 */
export function nodeLifecycle(context: WorkloadContext): ControllerSpec {
  const nodes = context.informers.of(Node)
  const leases = context.informers.of(Lease, { namespace: LEASES })
  const { pods, clock, client } = context
  const recorder = context.recorder(COMPONENT)

  const heardUntil = (name: string): Date | undefined => {
    const renewed = leases.get({ namespace: LEASES, name })?.spec?.renewTime
    return renewed === undefined ? undefined : new Date(Date.parse(renewed) + GRACE)
  }

  const lose = async (node: Node, signal: AbortSignal) => {
    const now = formatTime(clock.now())
    const isLost = (node.status?.conditions ?? []).find(({ type }) => type === 'Ready')?.status === 'Unknown'
    if (isLost) return node
    const { name } = node.metadata
    recorder.record({ regarding: node, reason: 'NodeNotReady', note: `Node ${name} status is now: NodeNotReady` })
    return writeStatus(
      client,
      Node,
      node,
      ({ status }) => ({ ...status, conditions: lostConditions(status?.conditions ?? [], now) }),
      { signal },
    )
  }

  const markPods = (node: Node, signal: AbortSignal) =>
    Promise.all(
      pods
        .list()
        .filter((pod) => pod.spec.nodeName === node.metadata.name && isReady(pod))
        .map((pod) => {
          recorder.record({ regarding: pod, type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' })
          const lastTransitionTime = formatTime(clock.now())
          const unready = (condition: PodCondition): PodCondition =>
            condition.type === 'Ready' ? { ...condition, status: 'False', lastTransitionTime } : condition
          const statusOf = ({ status }: Pod) => ({ ...status, conditions: (status?.conditions ?? []).map(unready) })
          return writeStatus(client, Pod, pod, statusOf, { signal })
        }),
    )

  return {
    name: 'node-lifecycle',
    wakes: [each(nodes), each(leases, ({ metadata }) => ({ name: metadata.name }))],
    concurrency: 2,
    async reconcile({ name }, { signal }) {
      let node = nodes.get({ name })
      if (node === undefined) return undefined
      const until = heardUntil(name)
      const isSilent = until !== undefined && until <= clock.now()
      if (isSilent) node = await lose(node, signal)
      const known = node.spec?.taints ?? []
      const taints = taintsFor(node, clock.now())
      if (taints !== known) {
        const { uid, resourceVersion } = node.metadata
        const spec = { taints: taints.length === 0 ? null : (taints as unknown as JsonObject[]) }
        await client.patch(Node, { name }, { metadata: { uid, resourceVersion }, spec }, { signal })
      }
      if (!isConditionTrue(node.status?.conditions, 'Ready')) await markPods(node, signal)
      return until === undefined || isSilent ? undefined : requeueAt(until)
    },
  }
}

function lostConditions(conditions: readonly NodeCondition[], now: string): NodeCondition[] {
  const missing = HEALTH.filter((type) => !conditions.some((condition) => condition.type === type))
  return [
    ...conditions.map((condition): NodeCondition => {
      if (!HEALTH.includes(condition.type)) return condition
      const message = 'Kubelet stopped posting node status.'
      return { ...condition, status: 'Unknown', reason: 'NodeStatusUnknown', message, lastTransitionTime: now }
    }),
    ...missing.map((type): NodeCondition => {
      const message = 'Kubelet never posted node status.'
      return { type, status: 'Unknown', reason: 'NodeStatusNeverUpdated', message, lastTransitionTime: now }
    }),
  ]
}

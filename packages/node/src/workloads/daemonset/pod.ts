import { DaemonSet, type Draft, type Node, type Pod, type PodSpec, type Toleration } from '@orrery/kinds'
import { ownerReferenceTo } from '@orrery/kube'
import { wantsNode } from '../nodes/affinity.js'
import { NOT_READY, taintsOf, UNREACHABLE, UNSCHEDULABLE, untolerated } from '../nodes/taints.js'
import { podFrom } from '../pod-template.js'

export const HASH_LABEL = 'controller-revision-hash'
const GENERATION_LABEL = 'pod-template-generation'
const GENERATION_ANNOTATION = 'deprecated.daemonset.template.generation'

/** The tolerations that every daemon pod gets. */
const TOLERATIONS: readonly Toleration[] = [
  { key: NOT_READY, operator: 'Exists', effect: 'NoExecute' },
  { key: UNREACHABLE, operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: UNSCHEDULABLE, operator: 'Exists', effect: 'NoSchedule' },
]
const NO_NETWORK: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
}

/** Whether a node should run a pod of the DaemonSet, and whether an existing pod may continue to run. */
export interface DaemonPodDecision {
  readonly shouldRun: boolean
  readonly shouldContinueRunning: boolean
}

export function shouldRunOn(node: Node, { spec: { template } }: DaemonSet): DaemonPodDecision {
  const { spec } = template
  const isMeant = (spec.nodeName ?? node.metadata.name) === node.metadata.name && wantsNode(spec, node)
  if (!isMeant) return { shouldRun: false, shouldContinueRunning: false }
  const taints = taintsOf(node)
  const tolerations = tolerationsOf(spec)
  const isChased = untolerated(taints, tolerations, ['NoExecute']) !== undefined
  const isBarred = isChased || untolerated(taints, tolerations, ['NoSchedule']) !== undefined
  return { shouldRun: !isBarred, shouldContinueRunning: !isChased }
}

/** Returns the pod for a node. Its node affinity binds it to this node. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Draft<Pod> {
  const pod = podFrom(set.spec.template, set, ownerReferenceTo(set, DaemonSet, { controller: true }))
  const generation = set.metadata.annotations?.[GENERATION_ANNOTATION]
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        [HASH_LABEL]: hash,
        ...(generation !== undefined && { [GENERATION_LABEL]: generation }),
      },
    },
    spec: { ...pod.spec, affinity: boundTo(node, pod.spec), tolerations: tolerationsOf(pod.spec) },
  }
}

/** Returns the node that a daemon pod is on or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if ((spec.nodeName ?? '') !== '') return spec.nodeName
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  return terms[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}

function boundTo(node: string, { affinity }: PodSpec): NonNullable<PodSpec['affinity']> {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [node] }]
  const required = { nodeSelectorTerms: [{ matchFields }] }
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  }
}

function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = hostNetwork === true ? [...TOLERATIONS, NO_NETWORK] : TOLERATIONS
  const isSame = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && (a.operator ?? 'Equal') === (b.operator ?? 'Equal')
  return [...tolerations.filter((own) => !added.some((other) => isSame(own, other))), ...added]
}

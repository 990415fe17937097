import { Node, type Pod, type Taint } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, requeueAt } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { tolerates } from '../nodes/taints.js'
import { disrupt } from './disruption.js'

const COMPONENT = 'taint-eviction-controller'

/**
 * The taint-eviction controller: deletes pods that do not tolerate a `NoExecute` taint of their node, after
 * `tolerationSeconds`.
 */
export function taintEviction(context: WorkloadContext): ControllerSpec {
  const nodes = context.informers.of(Node)
  const { pods, clock } = context
  const recorder = context.recorder(COMPONENT)
  const chasing = (name: string | undefined) =>
    (nodes.get({ name: name ?? '' })?.spec?.taints ?? []).filter(({ effect }) => effect === 'NoExecute')

  return {
    name: COMPONENT,
    wakes: [
      each(pods, undefined, { when: ({ after }) => after !== undefined && chasing(after.spec.nodeName).length > 0 }),
      each(
        nodes,
        (node) =>
          pods
            .list()
            .filter(({ spec }) => spec.nodeName === node.metadata.name)
            .map(({ metadata }) => metadata),
        { when: ({ before, after }) => !jsonEqual(before?.spec?.taints, after?.spec?.taints) },
      ),
    ],
    concurrency: 5,
    async reconcile(ref, { client, signal }) {
      const pod = pods.get(ref)
      if (pod === undefined || isBeingDeleted(pod)) return undefined
      const due = evictionTime(pod, chasing(pod.spec.nodeName), clock.now())
      if (due === undefined) return undefined
      if (due > clock.now()) return requeueAt(due)
      const { namespace, name } = pod.metadata
      const note = `Marking for deletion Pod ${namespace}/${name}`
      recorder.record({ regarding: pod, reason: 'TaintManagerEviction', note })
      const message = 'Taint manager: deleting due to NoExecute taint'
      const cause = { reason: 'DeletionByTaintManager', message } as const
      await disrupt(client, pod, { cause }, { now: clock.now(), signal })
      return undefined
    },
  }
}

/** Returns when a pod must be deleted; undefined if it may stay. */
function evictionTime({ spec }: Pod, taints: readonly Taint[], now: Date): Date | undefined {
  let due = Number.POSITIVE_INFINITY
  for (const taint of taints) {
    const used = (spec.tolerations ?? []).filter((toleration) => tolerates(toleration, taint))
    if (used.length === 0) return now
    const since = taint.timeAdded === undefined ? now.getTime() : Date.parse(taint.timeAdded)
    for (const { tolerationSeconds } of used) {
      if (tolerationSeconds !== undefined) due = Math.min(due, since + Math.max(0, tolerationSeconds) * 1000)
    }
  }
  return Number.isFinite(due) ? new Date(due) : undefined
}

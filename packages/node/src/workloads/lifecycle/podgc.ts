import { Node, type Pod } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isFinished } from '../podstate.js'
import { disrupt } from './disruption.js'

/** Removes pods that no kubelet will: those of nodes that are gone, and those deleted before they had a node. */
export function podCollector(context: WorkloadContext): ControllerSpec {
  const nodes = context.informers.of(Node)
  const { pods, clock } = context
  return {
    name: 'pod-garbage-collector',
    wakes: [
      each(pods, undefined, { when: ({ after }) => after !== undefined && mayBeAbandoned(after) }),
      each(
        nodes,
        ({ metadata: { name } }) =>
          pods
            .list()
            .filter(({ spec }) => spec.nodeName === name)
            .map(({ metadata }) => metadata),
        { when: ({ after }) => after === undefined },
      ),
    ],
    concurrency: 5,
    async reconcile(ref, { client, signal }) {
      const pod = pods.get(ref)
      if (pod === undefined) return
      const node = pod.spec.nodeName ?? ''
      const phase = isFinished(pod) ? {} : ({ phase: 'Failed' } as const)
      const removal = { now: clock.now(), signal, gracePeriodSeconds: 0 }
      if (node === '') {
        if (isBeingDeleted(pod) && !isFinished(pod)) await disrupt(client, pod, phase, removal)
        return
      }
      // Asked of the server: a pod may be seen before the node that it is on.
      if (nodes.get({ name: node }) !== undefined) return
      if ((await client.find(Node, { name: node }, { signal })) !== undefined) return
      const cause = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } as const
      await disrupt(client, pod, { cause, ...phase }, removal)
    },
  }

  function mayBeAbandoned(pod: Pod): boolean {
    const node = pod.spec.nodeName ?? ''
    return node === '' ? isBeingDeleted(pod) : nodes.get({ name: node }) === undefined
  }
}

import { Node, type Pod } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted } from '@orrery/kube'
import type { WorkloadContext } from '../context.js'
import { isFinished } from '../podstate.js'
import { disrupt } from './disruption.js'

/**
 * The pod garbage collector: deletes pods that no kubelet will delete, such as those of deleted nodes and those deleted
 * before they were scheduled.
 */
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
      // Read from the server, since the informer can show a pod before its node.
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

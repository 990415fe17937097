import { Pod, type PodPhase } from '@orrery/kinds'
import { formatTime } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informers, isBeingDeleted } from '@orrery/kube'

/** The phase of a pod, or that it runs without being ready. */
export type PlayPod = (pod: Pod) => PodPhase | 'NotReady'

/** Reports pods with a node as running, and ends those that are being deleted. */
export function playedKubelet(informers: Informers, play: PlayPod = () => 'Running'): ControllerSpec {
  const pods = informers.of(Pod)
  return {
    name: 'played-kubelet',
    wakes: [each(pods)],
    concurrency: 8,
    async reconcile(ref, { client, clock, signal }) {
      const pod = pods.get(ref)
      if (pod === undefined || pod.spec.nodeName === undefined) return
      if (isBeingDeleted(pod)) {
        await client.ensureDeleted(Pod, ref, { gracePeriodSeconds: 0, signal })
        return
      }
      const part = play(pod)
      const phase = part === 'NotReady' ? 'Running' : part
      const ready = part === 'Running' ? 'True' : 'False'
      const known = pod.status?.conditions?.find(({ type }) => type === 'Ready')
      if (pod.status?.phase === phase && (known?.status === ready || phase === 'Pending')) return
      const now = formatTime(clock.now())
      const conditions = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
      const podIP = `10.1.0.${(Number.parseInt(pod.metadata.uid.slice(0, 2), 16) % 250) + 1}`
      const status = {
        phase,
        podIP,
        podIPs: [{ ip: podIP }],
        startTime: pod.status?.startTime ?? now,
        conditions: [...conditions, { type: 'Ready', status: ready, lastTransitionTime: now }],
        ...((phase === 'Failed' || phase === 'Succeeded') && { containerStatuses: ended(pod, phase, now) }),
      }
      await client.patch(Pod, ref, { metadata: { uid: pod.metadata.uid }, status }, { subresource: 'status', signal })
    },
  }
}

function ended({ spec }: Pod, phase: PodPhase, finishedAt: string): object[] {
  return spec.containers.map(({ name, image = '' }) => ({
    name,
    image,
    imageID: '',
    ready: false,
    restartCount: 0,
    state: {
      terminated: {
        exitCode: phase === 'Failed' ? 1 : 0,
        reason: phase === 'Failed' ? 'Error' : 'Completed',
        finishedAt,
      },
    },
  }))
}

import { type ManagedCluster, SEALING_KEY_ANNOTATION } from '@orrery/api'
import { always, type ControllerSpec, isForbidden, isInvalid, requeueAfter, startControllers } from '@orrery/kube'
import { Contention } from '../contention.js'
import type { AgentContext, RunningPart } from '../context.js'
import { clusterInformer, isAccepted, updateCluster } from '../registration/cluster-report.js'
import { CLUSTER_CONTENTION_PAUSE, HUB_BACKOFF } from '../registration/registration-context.js'
import { meanwhile } from '../registration/wakes.js'
import { type SealingSecret, sealingKeysIn } from './sealing-secret.js'

/** The pause before the key is sent again to a hub that rejects it. */
const REJECTED_MILLISECONDS = 3_600_000

/** Publishes the public key in an annotation of the ManagedCluster, for sealing manifests. */
export function startKeyPublication(context: AgentContext, sealing: SealingSecret): RunningPart {
  const { hub: client, clock, log, metrics } = context
  const controllers = startControllers([keyPublication(context, sealing)], { client, clock, log, metrics })
  return { close: () => controllers.stop() }
}

function keyPublication({ hubInformers, clusterName, clock }: AgentContext, sealing: SealingSecret): ControllerSpec {
  const ref = { name: clusterName }
  const clusters = clusterInformer(hubInformers, clusterName)
  const contention = new Contention(clock, CLUSTER_CONTENTION_PAUSE)
  return {
    name: 'sealing-key-publication',
    wakes: [always(clusters, ref), meanwhile(sealing.secrets, clusters, ref)],
    backoff: HUB_BACKOFF,
    async reconcile(_, { client, log, signal }) {
      const cluster = clusters.get(ref)
      const publicKey = sealingKeysIn(sealing)?.publicKey
      if (cluster === undefined || !isAccepted(cluster) || publicKey === undefined) return undefined
      const turn = contention.turn('sealing-key')
      const change = (current: ManagedCluster) => {
        const { annotations = {} } = current.metadata
        const settled = turn.settle(annotations, { ...annotations, [SEALING_KEY_ANNOTATION]: publicKey }, publicKey)
        return settled === annotations
          ? current
          : { ...current, metadata: { ...current.metadata, annotations: settled } }
      }
      try {
        await updateCluster(client, cluster, change, signal)
      } catch (error) {
        if (!isForbidden(error) && !isInvalid(error)) throw error
        log.warn('the hub rejects the sealing key: Secrets cannot be sealed for this cluster', { error })
        return requeueAfter(REJECTED_MILLISECONDS)
      }
      turn.done()
      return turn.again
    },
  }
}

import { type ManagedCluster, SEALING_KEY_ANNOTATION } from '@orrery/api'
import { isForbidden, isInvalid } from '@orrery/kinds/values'
import { always, type ControllerSpec, type Informer, requeueAfter } from '@orrery/kube'
import type { Contention } from '../contention.js'
import { isAccepted, updateCluster } from '../registration/cluster-report.js'
import { HUB_BACKOFF } from '../registration/registration-context.js'
import { meanwhile } from '../registration/wakes.js'
import { type SealingSecret, sealingKeysIn } from './sealing-secret.js'

export interface PublishedKeyContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  readonly sealing: SealingSecret
  readonly contention: Contention
}

/** How long a hub that does not want the key is left alone. */
const REFUSED_MILLISECONDS = 3_600_000

/** Tells the hub the key to seal with, in an annotation of the ManagedCluster. */
export function publishedSealingKey(context: PublishedKeyContext): ControllerSpec {
  const { clusterName, clusters, sealing, contention } = context
  const ref = { name: clusterName }
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
        log.warn('the hub does not take the key that Secrets are sealed with: none can be sealed there', { error })
        return requeueAfter(REFUSED_MILLISECONDS)
      }
      turn.done()
      return turn.again
    },
  }
}

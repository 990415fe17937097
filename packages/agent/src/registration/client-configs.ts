import type { ManagedCluster } from '@orrery/api'
import { always, type ControllerSpec, type Informer } from '@orrery/kube'
import type { ResolvedAgentOptions } from '../options.js'
import { missingClientConfigs } from './cluster-draft.js'
import { isAccepted, updateCluster } from './cluster-report.js'
import { HUB_BACKOFF } from './registration-context.js'

export interface ClientConfigsContext {
  readonly clusterName: string
  readonly clusters: Informer<ManagedCluster>
  readonly options: ResolvedAgentOptions
}

/** Ensures that the ManagedCluster lists all URLs of the cluster's API, including those configured after it joined. */
export function clientConfigs({ clusterName, clusters, options }: ClientConfigsContext): ControllerSpec {
  const ref = { name: clusterName }
  return {
    name: 'client-configs',
    wakes: [always(clusters, ref)],
    backoff: HUB_BACKOFF,
    async reconcile(_, { client, signal }) {
      const cluster = clusters.get(ref)
      if (cluster === undefined || !isAccepted(cluster)) return
      const change = (current: ManagedCluster) => {
        const missing = missingClientConfigs(current, options)
        if (missing.length === 0) return current
        const known = current.spec?.managedClusterClientConfigs ?? []
        return { ...current, spec: { ...current.spec, managedClusterClientConfigs: [...known, ...missing] } }
      }
      await updateCluster(client, cluster, change, signal)
    },
  }
}

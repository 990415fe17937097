import type { ClientConfig, ManagedCluster } from '@orrery/api'
import type { ResolvedAgentOptions } from '../options.js'

type Origin = Pick<ResolvedAgentOptions, 'externalServerUrls' | 'externalServerCa' | 'clusterAnnotations'>

/** The ManagedCluster that an agent creates. */
export function clusterDraft(options: Origin) {
  const annotations = { ...options.clusterAnnotations }
  const managedClusterClientConfigs = clientConfigs(options)
  return {
    metadata: Object.keys(annotations).length === 0 ? {} : { annotations },
    spec: managedClusterClientConfigs.length === 0 ? {} : { managedClusterClientConfigs },
  }
}

/** The client configurations that the ManagedCluster lacks. */
export function missingClientConfigs(cluster: ManagedCluster, options: Origin): ClientConfig[] {
  const known = new Set(cluster.spec?.managedClusterClientConfigs?.map(({ url }) => url))
  return clientConfigs(options).filter(({ url }) => !known.has(url))
}

function clientConfigs({ externalServerUrls, externalServerCa }: Origin): ClientConfig[] {
  const trust = externalServerCa === undefined ? {} : { caBundle: Buffer.from(externalServerCa).toString('base64') }
  return externalServerUrls.map((url) => ({ url, ...trust }))
}

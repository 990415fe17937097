import { HOSTING_CLUSTER_ANNOTATION } from '@orrery/api'
import type { HostedMode } from '../agent-addon.js'

/** Hosts the agent of an add-on on the cluster that an annotation of its ManagedClusterAddOn names. */
export const hostedByAnnotation: HostedMode = ({ metadata }) => {
  const hostingCluster = metadata.annotations?.[HOSTING_CLUSTER_ANNOTATION]
  return hostingCluster === undefined ? { mode: 'Default' } : { mode: 'Hosted', hostingCluster }
}

import { type ClusterState, HUB_LEADER_LEASE, HUB_NAMESPACE, hubCrds } from '@orrery/api'
import { CustomResourceDefinition, Lease } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import { serverVersion } from '@orrery/kube/discovery'
import { findBootstrapToken } from '../install/bootstrap-token.js'
import { clusterOverviews } from './overview.js'

/** A hub and its health. */
export interface HubInfo {
  /** The version of the API server. */
  readonly version: string
  /** CRDs of a hub that the API server does not serve. */
  readonly missing: readonly string[]
  /** Whether there is a bootstrap token. */
  readonly bootstrapToken: boolean
  /** The leader, if the hub uses leader election. */
  readonly leader?: { readonly holder: string; readonly renewed?: string }
  readonly clusters: {
    readonly total: number
    readonly accepted: number
    readonly joined: number
    readonly available: number
  }
}

const LEADER_LEASE = { namespace: HUB_NAMESPACE, name: HUB_LEADER_LEASE }

/** Reads about a hub. An API server that is not a hub lacks its CRDs. */
export async function hubInfo(client: KubeClient, call: CallOptions = {}): Promise<HubInfo> {
  const [version, definitions, token, lease] = await Promise.all([
    serverVersion(client, call),
    client.list(CustomResourceDefinition, call),
    findBootstrapToken(client, call),
    client.find(Lease, LEADER_LEASE, call),
  ])
  const served = new Set(
    definitions.items
      .filter(({ status }) => isConditionTrue(status?.conditions, 'Established'))
      .map(({ metadata }) => metadata.name),
  )
  const missing = hubCrds().flatMap(({ metadata: { name = '' } }) => (served.has(name) ? [] : [name]))
  const clusters = missing.length === 0 ? await clusterOverviews(client, call) : []
  const count = (holds: (state: ClusterState) => boolean) => clusters.filter(({ state }) => holds(state)).length
  const { holderIdentity: holder = '', renewTime: renewed } = lease?.spec ?? {}
  return {
    version: version.gitVersion,
    missing,
    bootstrapToken: token !== undefined,
    ...(holder !== '' && { leader: { holder, ...(renewed !== undefined && { renewed }) } }),
    clusters: {
      total: clusters.length,
      accepted: count(({ isAccepted }) => isAccepted),
      joined: count(({ joined }) => joined === 'True'),
      available: count(({ available }) => available === 'True'),
    },
  }
}

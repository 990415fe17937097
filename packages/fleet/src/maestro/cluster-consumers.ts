import { ManagedCluster } from '@orrery/api'
import { type ControllerSpec, each, type Informers } from '@orrery/kube'
import type { MaestroCore, MaestroServer } from '@orrery/maestro/server'

/**
 * Keeps a consumer for each cluster that the hub accepts. It is deleted with the cluster, and its bundles too, as works are.
 * Ends the subscriptions of agents that have lost their permission: they cannot subscribe again.
 */
export function clusterConsumers(
  informers: Informers,
  { core, endAgents }: { readonly core: Pick<MaestroCore, 'consumers'> } & Pick<MaestroServer, 'endAgents'>,
): ControllerSpec {
  const { consumers } = core
  const clusters = informers.of(ManagedCluster)
  /** The UID of the ManagedCluster whose agent may be subscribed. */
  const accepted = new Map<string, string>()
  const consumerOf = async (name: string) => {
    const { rows } = await consumers.list({
      where: { text: 'name = $1', values: [name] },
      orderBy: 'id',
      limit: 1,
      offset: 0,
    })
    return rows[0]
  }
  return {
    name: 'maestro-consumers',
    wakes: [each(clusters)],
    async reconcile({ name }) {
      const cluster = clusters.get({ name })
      const isAccepted = cluster?.spec?.hubAcceptsClient === true
      const uid = isAccepted ? cluster.metadata.uid : undefined
      const before = accepted.get(name)
      if (uid === undefined || (before !== undefined && before !== uid)) {
        endAgents(name, `the hub does not accept this agent of cluster ${name}`)
      }
      if (uid === undefined) accepted.delete(name)
      else accepted.set(name, uid)
      const consumer = await consumerOf(name)
      if (cluster === undefined) {
        // No agent confirms the deletion of its works, and another cluster that gets the name later must not get them.
        if (consumer !== undefined) await consumers.delete(consumer.id, { force: true })
      } else if (isAccepted && consumer === undefined) {
        await consumers.create({ name })
      }
    },
  }
}

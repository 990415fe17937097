import { ManagedCluster } from '@orrery/api'
import { type ControllerSpec, each, type Informers } from '@orrery/kube'
import type { MaestroCore } from '@orrery/maestro/server'

/** Keeps a consumer for each cluster that the hub accepts. It is deleted with the cluster, and its bundles too, as works are. */
export function clusterConsumers(
  informers: Informers,
  { consumers }: Pick<MaestroCore, 'consumers'>,
  removeBundles: (consumerName: string) => Promise<void>,
): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
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
      const consumer = await consumerOf(name)
      if (cluster === undefined) {
        if (consumer === undefined) return
        await removeBundles(name)
        await consumers.delete(consumer.id)
      } else if (cluster.spec?.hubAcceptsClient === true && consumer === undefined) {
        await consumers.create({ name })
      }
    },
  }
}

import { SequenceGenerator } from '../../codec/sequence.js'
import type { MaestroCore } from './core.js'

const CHUNK = 100
const DELETED = { type: 'Deleted', status: 'True', reason: 'ClusterDetached', message: 'The cluster is detached.' }

/**
 * Removes the bundles of a consumer whose cluster is gone, and tells their sources. No agent confirms their deletion, and another
 * cluster that gets the name later must not get them.
 */
export async function removeBundlesOf(consumerName: string, { bundles, publishStatus }: MaestroCore): Promise<void> {
  const sequence = new SequenceGenerator()
  const where = { text: 'consumer_name = $1', values: [consumerName] }
  for (;;) {
    const { rows } = await bundles.list({ where, orderBy: 'id', limit: CHUNK, offset: 0 })
    if (rows.length === 0) return
    for (const { id, version } of rows) {
      await bundles.delete(id)
      const data = Buffer.from(JSON.stringify({ conditions: [{ ...DELETED, lastTransitionTime: new Date() }] }))
      await publishStatus({ id, consumerName, version, sequenceId: sequence.next(), hash: '', data })
    }
  }
}

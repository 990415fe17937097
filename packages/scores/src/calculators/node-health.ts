import { ScoreCalculator } from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { checkedCalculator, type SpokeCalculator } from '../calculator.js'

/** The share of the nodes that are ready, in percent. Unknown for a cluster without nodes. */
export const nodeHealth: SpokeCalculator = checkedCalculator({
  name: ScoreCalculator.NodeHealth,
  runsOn: 'cluster',
  periodSeconds: 30,
  calculate({ nodes }) {
    if (nodes.length === 0) return undefined
    const ready = nodes.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'))
    return Math.floor((100 * ready.length) / nodes.length)
  },
})

import { ScoreCalculator } from '@orrery/api'
import { parseQuantity, quantityAtScale } from '@orrery/kinds/values'
import { checkedCalculator, type HubCalculator } from '../calculator.js'

/** Millicores. */
const MILLI = -3

/** The allocatable CPU that the agent reports, in millicores. */
export const resourceAllocatableCPU: HubCalculator = resourceAllocatable(
  ScoreCalculator.ResourceAllocatableCPU,
  'cpu',
  MILLI,
)

/** The allocatable memory that the agent reports, in bytes. */
export const resourceAllocatableMemory: HubCalculator = resourceAllocatable(
  ScoreCalculator.ResourceAllocatableMemory,
  'memory',
  0,
)

function resourceAllocatable(name: string, resource: string, scale: number): HubCalculator {
  return checkedCalculator({
    name,
    runsOn: 'hub',
    calculate({ cluster }) {
      const quantity = cluster.status?.allocatable?.[resource]
      return quantity === undefined ? undefined : Number(quantityAtScale(parseQuantity(String(quantity)), scale))
    },
  })
}

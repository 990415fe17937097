import type { Node } from '@orrery/kinds'
import { addQuantity, formatQuantity, parseQuantity, type Quantity } from '@orrery/kinds/values'

type Amounts = Record<string, string>

/** The capacity of all nodes, and what schedulable nodes can allocate. */
export function resourcesOf(nodes: readonly Node[]): { capacity: Amounts; allocatable: Amounts } {
  const schedulable = nodes.filter(({ spec }) => spec?.unschedulable !== true)
  return {
    capacity: sumOf(nodes.map(({ status }) => status?.capacity ?? {})),
    allocatable: sumOf(schedulable.map(({ status }) => status?.allocatable ?? {})),
  }
}

function sumOf(amounts: readonly Amounts[]): Amounts {
  const sums = new Map<string, Quantity>()
  for (const amount of amounts) {
    for (const [resource, text] of Object.entries(amount)) {
      const quantity = parseQuantity(text)
      const sum = sums.get(resource)
      sums.set(resource, sum === undefined ? quantity : addQuantity(sum, quantity))
    }
  }
  return Object.fromEntries(
    [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => [name, formatQuantity(sum)]),
  )
}

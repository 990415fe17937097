import type { QuantityString } from '@orrery/kinds'
import type { PodSpec } from '@orrery/kinds/core'
import { addQuantity, compareQuantity, parseQuantity, type Quantity } from '@orrery/kinds/values'

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, Quantity>

type Kind = 'requests' | 'limits'

/**
 * Returns the requests or limits of a pod. Containers run together and add up; init containers run one at a time, next
 * to the sidecars started before them, so the maximum at any moment counts. Resources at pod level take precedence.
 */
export function podAmounts(spec: Partial<PodSpec>, kind: Kind): Map<string, Quantity> {
  const total = new Map<string, Quantity>()
  for (const { resources } of spec.containers ?? []) add(total, amountsOf(resources?.[kind]))
  const sidecars = new Map<string, Quantity>()
  const peak = new Map<string, Quantity>()
  for (const { resources, restartPolicy } of spec.initContainers ?? []) {
    const own = amountsOf(resources?.[kind])
    if (restartPolicy === 'Always') {
      add(total, own)
      add(sidecars, own)
      raise(peak, sidecars)
    } else {
      add(own, sidecars)
      raise(peak, own)
    }
  }
  raise(total, peak)
  for (const [name, amount] of amountsOf(spec.resources?.[kind])) total.set(name, amount)
  const overhead = amountsOf(spec.overhead)
  if (kind === 'requests') add(total, overhead)
  // Without a limit there is nothing for the overhead to be added to.
  else for (const [name, amount] of overhead) if (total.has(name)) add(total, new Map([[name, amount]]))
  return total
}

export function amountsOf(list: Readonly<Record<string, QuantityString>> | undefined): Map<string, Quantity> {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(String(text))]))
}

/** Adds amounts to a sum, in place. */
export function add(sum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = sum.get(name)
    sum.set(name, before === undefined ? amount : addQuantity(before, amount))
  }
}

function raise(maximum: Map<string, Quantity>, amounts: Amounts): void {
  for (const [name, amount] of amounts) {
    const before = maximum.get(name)
    if (before === undefined || compareQuantity(before, amount) < 0) maximum.set(name, amount)
  }
}

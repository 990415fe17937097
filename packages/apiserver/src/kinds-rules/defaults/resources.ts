import type { JsonObject } from '@orrery/kinds'
import { formatQuantity, isObject, parseQuantity, quantityAtScale, setOwn } from '@orrery/kinds/values'
import { type Defaults, defaults } from './engine.js'

const MILLI = -3

/** Amounts of resources are rounded up to thousandths. */
const roundUp: Defaults = (amounts) => {
  for (const name of Object.keys(amounts)) {
    const text = amounts[name]
    if (typeof text !== 'string' || !/[nu.e]/i.test(text)) continue
    const quantity = parseQuantity(text)
    if (quantity.scale >= MILLI) continue
    const rounded = { unscaled: quantityAtScale(quantity, MILLI), scale: MILLI, format: quantity.format }
    setOwn(amounts, name, formatQuantity(rounded))
  }
}

/** Rounds the amounts in resource maps. */
export function amounts(...names: readonly string[]): Defaults {
  return defaults(Object.fromEntries(names.map((name) => [`${name}?`, roundUp])))
}

/** Copies entries of one map that another does not have. */
export function fillFrom(struct: JsonObject, target: string, source: string): void {
  const from = struct[source]
  if (!isObject(from)) return
  const to = struct[target]
  const filled = isObject(to) ? to : {}
  for (const name of Object.keys(from)) {
    const value = from[name]
    if (value !== undefined && !Object.hasOwn(filled, name)) setOwn(filled, name, value)
  }
  struct[target] = filled
}

/** A limit without a request sets the request. */
export const requestsFromLimits: Defaults = (container) => {
  const resources = container.resources
  if (isObject(resources)) fillFrom(resources, 'requests', 'limits')
}

import type { Container, ResourceFieldSelector } from '@orrery/kinds'
import { parseQuantity, quantityAtScale } from '@orrery/kinds/values'

/** Precise enough for every quantity that Kubernetes stores. */
const NANO = -9

/**
 * Returns a resource of a container for the downward API, rounded up to whole divisors. An unset limit is the
 * allocatable amount of the node.
 */
export function resourceFieldValue(
  { resource, divisor = '0' }: ResourceFieldSelector,
  { resources = {} }: Container,
  allocatable: Readonly<Record<string, string>>,
): string {
  const [from = '', name = ''] = splitOnce(resource, '.')
  const { requests = {}, limits = {} } = resources
  const given = from === 'limits' ? (limits[name] ?? allocatable[name]) : (requests[name] ?? limits[name])
  const amount = quantityAtScale(parseQuantity(given ?? '0'), NANO)
  const unit = quantityAtScale(parseQuantity(divisor === '0' ? '1' : divisor), NANO)
  return String((amount + unit - 1n) / unit)
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

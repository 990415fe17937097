import type { Container, Node, Pod, PodSpec, QuantityString } from '@orrery/kinds'
import { parseQuantity, quantityAtScale } from '@orrery/kinds/values'
import { isFinished } from '../podstate.js'

/** Amounts by resource name, in thousandths. */
export type Amounts = ReadonlyMap<string, bigint>
type Sum = Map<string, bigint>

const THOUSANDTHS = -3

export function amountsOf(quantities: Record<string, QuantityString> | undefined): Amounts {
  return new Map(
    Object.entries(quantities ?? {}).map(([name, text]) => [name, quantityAtScale(parseQuantity(text), THOUSANDTHS)]),
  )
}

function add(amounts: Sum, more: Amounts): void {
  for (const [name, amount] of more) amounts.set(name, (amounts.get(name) ?? 0n) + amount)
}

function raise(amounts: Sum, least: Amounts): void {
  for (const [name, amount] of least) if ((amounts.get(name) ?? 0n) < amount) amounts.set(name, amount)
}

const known = new WeakMap<PodSpec, Amounts>()

/** Returns the resource requests of a pod. Cached, since scheduling needs those of all pods of a node. */
export function requestsOf(spec: PodSpec): Amounts {
  let requests = known.get(spec)
  if (requests === undefined) {
    requests = sumOfRequests(spec)
    known.set(spec, requests)
  }
  return requests
}

/**
 * Returns the sum of the containers or the maximum of the init steps, whichever is more. Sidecars count from their step
 * on.
 */
function sumOfRequests(spec: PodSpec): Amounts {
  const requests = (container: Container) => amountsOf(container.resources?.requests)
  const running: Sum = new Map()
  const starting: Sum = new Map()
  for (const container of spec.initContainers ?? []) {
    const step: Sum = new Map(running)
    add(step, requests(container))
    raise(starting, step)
    if (container.restartPolicy === 'Always') add(running, requests(container))
  }
  for (const container of spec.containers) add(running, requests(container))
  raise(running, starting)
  raise(running, amountsOf(spec.resources?.requests))
  add(running, amountsOf(spec.overhead))
  running.set('pods', 1000n)
  return running
}

/** Returns the free resources of a node. */
export function freeOn(node: Node, pods: readonly Pod[]): Amounts {
  const free = new Map(amountsOf(node.status?.allocatable ?? node.status?.capacity))
  for (const pod of pods) {
    if (isFinished(pod)) continue
    for (const [name, amount] of requestsOf(pod.spec)) free.set(name, (free.get(name) ?? 0n) - amount)
  }
  return free
}

/** Returns the names of the requested resources that are insufficient. */
export function lacking(asked: Amounts, free: Amounts): string[] {
  return [...asked].filter(([name, amount]) => amount > 0n && amount > (free.get(name) ?? 0n)).map(([name]) => name)
}

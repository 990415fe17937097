import { ScoreCalculator } from '@orrery/api'
import type { Node, Pod, PodSpec } from '@orrery/kinds'
import { isConditionTrue, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import { checkedCalculator, type SpokeCalculator } from '../calculator.js'

/** The share of the allocatable CPU that pods have not requested, in percent. */
export const resourceRatioCPU: SpokeCalculator = resourceRatio(ScoreCalculator.ResourceRatioCPU, 'cpu')

/** The share of the allocatable memory that pods have not requested, in percent. */
export const resourceRatioMemory: SpokeCalculator = resourceRatio(ScoreCalculator.ResourceRatioMemory, 'memory')

function resourceRatio(name: string, resource: string): SpokeCalculator {
  return checkedCalculator({
    name,
    runsOn: 'cluster',
    calculate: async ({ nodes, pods }) => availableShare(nodes, await pods(), resource),
  })
}

/** Counts nodes that can run further pods, and the pods on them. 0 if there is no such node. */
function availableShare(nodes: readonly Node[], pods: readonly Pod[], resource: string): number {
  const usable = nodes.filter(isUsable)
  const names = new Set(usable.map(({ metadata }) => metadata.name))
  const allocatable = sum(usable.map(({ status }) => amount(status?.allocatable?.[resource])))
  if (allocatable <= 0) return 0
  const bound = pods.filter(({ spec }) => names.has(spec?.nodeName ?? ''))
  const requested = sum(bound.map(({ spec }) => requestOf(spec, resource)))
  return Math.floor(100 * Math.max(0, 1 - requested / allocatable))
}

function isUsable({ spec, status }: Node): boolean {
  return spec?.unschedulable !== true && isConditionTrue(status?.conditions, 'Ready')
}

/**
 * The request of a pod, as kube-scheduler counts it: its containers together, or its largest init container if that is more.
 * Init containers that keep running (sidecars) count from their start.
 */
export function requestOf(spec: PodSpec | undefined, resource: string): number {
  let sidecars = 0
  let initial = 0
  for (const { restartPolicy, resources } of spec?.initContainers ?? []) {
    const request = amount(resources?.requests?.[resource])
    if (restartPolicy === 'Always') sidecars += request
    initial = Math.max(initial, restartPolicy === 'Always' ? sidecars : sidecars + request)
  }
  const running = sum((spec?.containers ?? []).map(({ resources }) => amount(resources?.requests?.[resource])))
  return Math.max(running + sidecars, initial) + amount(spec?.overhead?.[resource])
}

function amount(quantity: string | undefined): number {
  return quantity === undefined ? 0 : quantityToNumber(parseQuantity(quantity))
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, one) => total + one, 0)
}

import { isConditionTrue } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import { Gauge, type MetricRegistry } from '@orrery/kube/metrics'
import type { Operation } from '../kinds/operation.js'
import type { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import type { Zone } from '../kinds/zone.js'
import type { OperationQueue } from './queue/operation-queue.js'
import { isFinished, phaseOf } from './queue/operation-state.js'
import { AGENT_CONNECTED } from './zones/zone-status.js'

export interface GaugeSources {
  readonly queue: OperationQueue
  readonly operations: Informer<Operation>
  readonly zones: Informer<Zone>
  readonly requests: Informer<VirtualMachineRequest>
}

/** Gauges of what the hub knows, computed when they are read. Returns a function that stops this. */
export function hubGauges(metrics: MetricRegistry, { queue, operations, zones, requests }: GaugeSources): () => void {
  const queued = metrics.gauge({
    name: 'ovim_hub_operations_active',
    help: 'Operations that are not finished, by phase: Pending, Leased or Running.',
    labels: ['phase'],
  })
  const waiting = metrics.gauge({ name: 'ovim_hub_agents_waiting', help: 'Agents that wait for an operation.' })
  const connected = metrics.gauge({
    name: 'ovim_hub_zones',
    help: 'Zones by whether their agent reports.',
    labels: ['connected'],
  })
  const machines = metrics.gauge({
    name: 'ovim_hub_virtual_machines',
    help: 'Virtual machines by phase.',
    labels: ['phase'],
  })
  return metrics.beforeRender(() => {
    waiting.with({}).value = queue.waiting
    const active = operations.list().filter((operation) => !isFinished(operation))
    queued.replace(counted(active.map((operation) => ({ phase: phaseOf(operation) }))))
    machines.replace(counted(requests.list().map(({ status }) => ({ phase: status?.phase ?? 'pending' }))))
    const states = zones
      .list()
      .map(({ status }) => ({ connected: String(isConditionTrue(status?.conditions, AGENT_CONNECTED)) }))
    connected.replace(counted(states))
  })
}

function counted<L extends Readonly<Record<string, string>>>(labels: readonly L[]): [L, Gauge][] {
  const groups = new Map<string, { readonly labels: L; count: number }>()
  for (const one of labels) {
    const key = JSON.stringify(one)
    const group = groups.get(key) ?? { labels: one, count: 0 }
    group.count++
    groups.set(key, group)
  }
  return [...groups.values()].map(({ labels: one, count }) => [one, new Gauge(count)])
}

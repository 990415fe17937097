import { isConditionTrue } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { Operation } from '../kinds/operation.js'
import type { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import type { Zone } from '../kinds/zone.js'
import { VM_STATUSES } from '../wire/status-report.js'
import type { OperationQueue } from './queue/operation-queue.js'
import { phaseOf } from './queue/operation-state.js'
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
    const phases = operations.list().map(phaseOf)
    for (const [phase, count] of counted(ACTIVE_PHASES, phases)) queued.with({ phase }).value = count
    const states = requests.list().map(({ status }) => status?.phase ?? 'pending')
    for (const [phase, count] of counted(VM_STATUSES, states)) machines.with({ phase }).value = count
    const connections = zones.list().map(({ status }) => `${isConditionTrue(status?.conditions, AGENT_CONNECTED)}`)
    for (const [value, count] of counted(['true', 'false'], connections))
      connected.with({ connected: value }).value = count
  })
}

const ACTIVE_PHASES = ['Pending', 'Leased', 'Running']

/** How often each of some values occurs. Those that do not occur are 0, so that queries find their series. */
function counted(all: readonly string[], values: readonly string[]): Map<string, number> {
  const counts = new Map(all.map((value) => [value, 0]))
  for (const value of values) {
    const count = counts.get(value)
    if (count !== undefined) counts.set(value, count + 1)
  }
  return counts
}

import { Node, PersistentVolumeClaim, Pod } from '@orrery/kinds/core'
import { isNotFound, parseQuantity, quantityToNumber } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { type ClusterMetrics, NO_RESOURCES, type NodeStatus, resourceMetrics, type VmStatus } from '../../wire/index.js'
import { type Component, type ComponentHealth, HEALTHY } from '../lifecycle/component.js'
import { Periodic } from '../lifecycle/periodic.js'
import { type AgentMetrics, setMachines } from './agent-metrics.js'

export interface CollectorOptions {
  readonly client: KubeClient
  readonly clusterId: string
  readonly zoneId: string
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: AgentMetrics
  readonly isEnabled: () => boolean
  readonly intervalMs: () => number
  readonly machines: () => readonly VmStatus[]
}

interface Usage {
  readonly cpu: number
  readonly memory: number
}

const METRICS_PATH = '/apis/metrics.k8s.io/v1beta1/nodes'
const RUNNING_PODS = { fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' }

/** Collects what the cluster has and uses, for reports and for `/metrics`. */
export class MetricsCollector implements Component {
  readonly name = 'metrics-collector'
  readonly #options: CollectorOptions
  readonly #collecting: Periodic
  #current: ClusterMetrics
  #problem = ''

  constructor(options: CollectorOptions) {
    this.#options = options
    this.#collecting = new Periodic(options.clock, options.intervalMs, (signal) => this.#collect(signal))
    this.#current = { ...this.#identity(), resources: NO_RESOURCES, node_status: [], last_collected: '' }
  }

  get current(): ClusterMetrics {
    return this.#current
  }

  /** The first report must not show an empty cluster. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#collect(signal)
    this.#collecting.start()
  }

  async stop(): Promise<void> {
    await this.#collecting.stop()
  }

  health(): ComponentHealth {
    return this.#problem === '' ? HEALTHY : { status: 'warning', message: this.#problem }
  }

  #identity(): { cluster_id: string; zone_id: string } {
    return { cluster_id: this.#options.clusterId, zone_id: this.#options.zoneId }
  }

  async #collect(signal: AbortSignal): Promise<void> {
    if (!this.#options.isEnabled()) return
    try {
      this.#current = await this.#read(signal)
      this.#problem = ''
      this.#publish()
    } catch (error) {
      if (signal.aborted) return
      this.#problem = `cluster metrics are not collected: ${(error as Error).message}`
      this.#options.log.warn('cluster metrics not collected', { error })
    }
  }

  async #read(signal: AbortSignal): Promise<ClusterMetrics> {
    const { client, clock, machines } = this.#options
    const [nodes, claims, measured] = await Promise.all([
      client.list(Node, { signal }),
      client.list(PersistentVolumeClaim, { signal }),
      measuredUsage(client, signal),
    ])
    const { count, requested } = await pods(client, measured === undefined, signal)
    const usage = measured ?? requested
    const vms = machines()
    const vmCounts = countBy(vms, ({ node_name = '' }) => node_name)
    const statuses = nodes.items.map((node) => nodeStatus(node, usage, vmCounts))
    const sum = (read: (status: NodeStatus) => number) => statuses.reduce((total, status) => total + read(status), 0)
    const resources = resourceMetrics({
      cpu_used: sum(({ cpu }) => cpu.cpu_used),
      cpu_capacity: sum(({ cpu }) => cpu.cpu_capacity),
      memory_used: sum(({ memory }) => memory.memory_used),
      memory_capacity: sum(({ memory }) => memory.memory_capacity),
      // Claims, since what a disk really holds is not known to the API.
      storage_used: claims.items.reduce((total, { status }) => total + amount(status?.capacity?.storage), 0),
      storage_capacity: sum(({ storage }) => storage.storage_capacity),
      node_count: nodes.items.length,
      pod_count: count,
      vm_count: vms.length,
    })
    return { ...this.#identity(), resources, node_status: statuses, last_collected: clock.now().toISOString() }
  }

  #publish(): void {
    const { metrics, machines } = this.#options
    const { resources, node_status } = this.#current
    const vms = machines()
    setMachines(
      metrics,
      vms.map(({ status }) => status),
    )
    metrics.machineCpu.with({}).value = vms.reduce((total, { cpu }) => total + amount(cpu), 0)
    metrics.machineMemory.with({}).value = vms.reduce((total, { memory }) => total + amount(memory), 0)
    for (const status of ['Ready', 'NotReady']) {
      metrics.nodes.with({ status }).value = node_status.filter((node) => node.status === status).length
    }
    metrics.capacity.with({ resource: 'cpu' }).value = resources.cpu_capacity / 1_000
    metrics.capacity.with({ resource: 'memory' }).value = resources.memory_capacity
    metrics.capacity.with({ resource: 'storage' }).value = resources.storage_capacity
    metrics.used.with({ resource: 'cpu' }).value = resources.cpu_used / 1_000
    metrics.used.with({ resource: 'memory' }).value = resources.memory_used
    metrics.used.with({ resource: 'storage' }).value = resources.storage_used
  }
}

/** The usage of nodes as the metrics server measures it; undefined if there is none. */
async function measuredUsage(client: KubeClient, signal: AbortSignal): Promise<Map<string, Usage> | undefined> {
  interface NodeMetrics {
    readonly items?: readonly { metadata: { name: string }; usage?: { cpu?: string; memory?: string } }[]
  }
  try {
    const { items = [] } = await client.getJson<NodeMetrics>(METRICS_PATH, { signal })
    return new Map(
      items.map(({ metadata, usage }) => [
        metadata.name,
        { cpu: amount(usage?.cpu, 1_000), memory: amount(usage?.memory) },
      ]),
    )
  } catch (error) {
    if (isNotFound(error) || (error as { code?: number }).code === 503) return undefined
    throw error
  }
}

/** The number of pods and, where nothing measures, what they request of each node. */
async function pods(
  client: KubeClient,
  needsRequests: boolean,
  signal: AbortSignal,
): Promise<{ count: number; requested: Map<string, Usage> }> {
  const requested = new Map<string, Usage>()
  if (!needsRequests) {
    const page = await client.list(Pod, { limit: 1, signal })
    return { count: page.items.length + (page.remainingItemCount ?? 0), requested }
  }
  let count = 0
  for await (const page of client.pages(Pod, { ...RUNNING_PODS, signal })) {
    count += page.items.length
    for (const { spec } of page.items) {
      const before = requested.get(spec?.nodeName ?? '') ?? { cpu: 0, memory: 0 }
      const requests = (spec?.containers ?? []).map(({ resources }) => resources?.requests ?? {})
      requested.set(spec?.nodeName ?? '', {
        cpu: requests.reduce((total, { cpu }) => total + amount(cpu, 1_000), before.cpu),
        memory: requests.reduce((total, { memory }) => total + amount(memory), before.memory),
      })
    }
  }
  return { count, requested }
}

function nodeStatus(node: Node, usage: ReadonlyMap<string, Usage>, vmCounts: ReadonlyMap<string, number>): NodeStatus {
  const { metadata, status } = node
  const used = usage.get(metadata.name) ?? { cpu: 0, memory: 0 }
  const capacity = status?.allocatable ?? status?.capacity ?? {}
  const conditions = status?.conditions ?? []
  const isReady = conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True')
  return {
    name: metadata.name,
    status: isReady ? 'Ready' : 'NotReady',
    cpu: resourceMetrics({ cpu_used: used.cpu, cpu_capacity: amount(capacity.cpu, 1_000) }),
    memory: resourceMetrics({ memory_used: used.memory, memory_capacity: amount(capacity.memory) }),
    storage: resourceMetrics({
      storage_capacity: amount(capacity['ephemeral-storage']),
      vm_count: vmCounts.get(metadata.name) ?? 0,
    }),
    ...(metadata.labels !== undefined && { labels: metadata.labels }),
    conditions: conditions.map(({ type, status: value, lastTransitionTime, reason, message }) => ({
      type,
      status: value,
      last_transition_time: lastTransitionTime ?? '',
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
    })),
  }
}

function amount(quantity: string | undefined, scale = 1): number {
  if (quantity === undefined) return 0
  return Math.round(quantityToNumber(parseQuantity(quantity)) * scale)
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}

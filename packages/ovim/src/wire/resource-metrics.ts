import { type Fields, present } from './fields.js'

/** Resources in use and available. CPU in millicores, memory and storage in bytes, percentages from 0 to 100. */
export interface ResourceMetrics {
  readonly cpu_used: number
  readonly cpu_capacity: number
  readonly cpu_percent: number
  readonly memory_used: number
  readonly memory_capacity: number
  readonly memory_percent: number
  readonly storage_used: number
  readonly storage_capacity: number
  readonly storage_percent: number
  readonly node_count: number
  readonly pod_count: number
  readonly vm_count: number
}

export interface NodeCondition {
  readonly type: string
  readonly status: string
  readonly last_transition_time: string
  readonly reason?: string
  readonly message?: string
}

export interface NodeStatus {
  readonly name: string
  readonly status: string
  readonly cpu: ResourceMetrics
  readonly memory: ResourceMetrics
  readonly storage: ResourceMetrics
  readonly labels?: Readonly<Record<string, string>>
  readonly conditions?: readonly NodeCondition[]
}

export interface ClusterMetrics {
  readonly cluster_id: string
  readonly zone_id: string
  readonly resources: ResourceMetrics
  readonly node_status: readonly NodeStatus[]
  readonly last_collected: string
}

const NUMBERS = [
  'cpu_used',
  'cpu_capacity',
  'cpu_percent',
  'memory_used',
  'memory_capacity',
  'memory_percent',
  'storage_used',
  'storage_capacity',
  'storage_percent',
  'node_count',
  'pod_count',
  'vm_count',
] as const satisfies readonly (keyof ResourceMetrics)[]

export const NO_RESOURCES: ResourceMetrics = resourceMetrics({})

/** Fills in what is absent with 0, and computes the percentages. */
export function resourceMetrics(known: Partial<Omit<ResourceMetrics, `${string}_percent`>>): ResourceMetrics {
  const zero = Object.fromEntries(NUMBERS.map((name) => [name, 0])) as Record<(typeof NUMBERS)[number], number>
  const all = { ...zero, ...known }
  return {
    ...all,
    cpu_percent: percentage(all.cpu_used, all.cpu_capacity),
    memory_percent: percentage(all.memory_used, all.memory_capacity),
    storage_percent: percentage(all.storage_used, all.storage_capacity),
  }
}

function percentage(used: number, capacity: number): number {
  return capacity <= 0 ? 0 : Math.round((used / capacity) * 10_000) / 100
}

export function readResourceMetrics(fields: Fields | undefined): ResourceMetrics {
  if (fields === undefined) return NO_RESOURCES
  return Object.fromEntries(NUMBERS.map((name) => [name, fields.number(name) ?? 0])) as unknown as ResourceMetrics
}

export function readClusterMetrics(fields: Fields): ClusterMetrics {
  return {
    cluster_id: fields.text('cluster_id') ?? '',
    zone_id: fields.text('zone_id') ?? '',
    resources: readResourceMetrics(fields.object('resources')),
    node_status: fields.list('node_status', nodeStatus) ?? [],
    last_collected: fields.time('last_collected') ?? '',
  }
}

function nodeStatus(fields: Fields): NodeStatus {
  return present({
    name: fields.requiredText('name'),
    status: fields.text('status') ?? '',
    cpu: readResourceMetrics(fields.object('cpu')),
    memory: readResourceMetrics(fields.object('memory')),
    storage: readResourceMetrics(fields.object('storage')),
    labels: fields.texts('labels'),
    conditions: fields.list('conditions', (condition) =>
      present({
        type: condition.requiredText('type'),
        status: condition.text('status') ?? 'Unknown',
        last_transition_time: condition.time('last_transition_time') ?? '',
        reason: condition.text('reason'),
        message: condition.text('message'),
      }),
    ),
  })
}

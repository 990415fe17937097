import type { MetricRegistry } from '@orrery/kube/metrics'
import { AGENT_STATES, OPERATION_TYPES, VM_STATUSES } from '../../wire/index.js'

const SECONDS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

/** The metrics of an agent, each declared once. The names are documented in docs/reference/ovim-agent.md. */
export function agentMetrics(registry: MetricRegistry) {
  return {
    /** Agent. */
    state: registry.gauge({
      name: 'ovim_agent_state',
      help: 'The state of the agent: 1 for the current one, 0 for the others.',
      labels: ['state'],
    }),
    uptime: registry.gauge({ name: 'ovim_agent_uptime_seconds', help: 'Time since the agent started.' }),
    ready: registry.gauge({
      name: 'ovim_agent_ready',
      help: 'Whether the agent can take operations, as /health/ready replies.',
    }),
    info: registry.gauge({ name: 'ovim_agent_info', help: 'Always 1.', labels: ['version', 'cluster', 'zone'] }),
    componentHealthy: registry.gauge({
      name: 'ovim_agent_component_healthy',
      help: 'Whether a component works: 1 healthy, 0.5 warning, 0 critical.',
      labels: ['component'],
    }),
    componentRestarts: registry.counter({
      name: 'ovim_agent_component_restarts_total',
      help: 'Restarts of failed components.',
      labels: ['component'],
    }),
    /** Communication with the hub. */
    hubConnected: registry.gauge({
      name: 'ovim_hub_connected',
      help: 'Whether the hub accepted the last status report.',
    }),
    hubRequests: registry.counter({
      name: 'ovim_hub_requests_total',
      help: 'Attempts of requests to the hub by endpoint and outcome.',
      labels: ['endpoint', 'outcome'],
    }),
    hubLatency: registry.histogram({
      name: 'ovim_hub_request_duration_seconds',
      help: 'Time until the hub replied. Long polls are not counted.',
      labels: ['endpoint'],
      buckets: SECONDS,
    }),
    hubBreakerOpen: registry.gauge({
      name: 'ovim_hub_circuit_open',
      help: 'Whether the circuit breaker of an endpoint is open.',
      labels: ['endpoint'],
    }),
    hubLastContact: registry.gauge({
      name: 'ovim_hub_last_contact_timestamp_seconds',
      help: 'When the hub last replied, in seconds since 1970.',
    }),
    /** Machines and data centers. */
    machines: registry.gauge({ name: 'ovim_vms', help: 'Virtual machines by status.', labels: ['status'] }),
    machineCpu: registry.gauge({ name: 'ovim_vm_cpu_cores', help: 'CPUs of all virtual machines.' }),
    machineMemory: registry.gauge({ name: 'ovim_vm_memory_bytes', help: 'Memory of all virtual machines.' }),
    vdcs: registry.gauge({ name: 'ovim_vdcs', help: 'Virtual data centers by phase.', labels: ['phase'] }),
    /** Cluster. */
    nodes: registry.gauge({ name: 'ovim_cluster_nodes', help: 'Nodes by status.', labels: ['status'] }),
    capacity: registry.gauge({
      name: 'ovim_cluster_capacity',
      help: 'Allocatable resources: cores, or bytes.',
      labels: ['resource'],
    }),
    used: registry.gauge({
      name: 'ovim_cluster_used',
      help: 'Resources in use: cores, or bytes.',
      labels: ['resource'],
    }),
    kubernetesErrors: registry.counter({
      name: 'ovim_kubernetes_errors_total',
      help: "Failed checks of the cluster's API.",
    }),
    kubernetesRequests: registry.counter({
      name: 'ovim_kubernetes_requests_total',
      help: "Requests to the cluster's API by status code; error if there was no reply.",
      labels: ['code'],
    }),
    /** Operations. */
    operations: registry.counter({
      name: 'ovim_operations_total',
      help: 'Executed operations by type and result.',
      labels: ['type', 'result'],
    }),
    operationDuration: registry.histogram({
      name: 'ovim_operation_duration_seconds',
      help: 'Time to execute an operation.',
      labels: ['type'],
      buckets: SECONDS,
    }),
    operationsQueued: registry.gauge({
      name: 'ovim_operations_queue_depth',
      help: 'Received operations that have not finished.',
    }),
    operationSuccess: registry.gauge({
      name: 'ovim_operations_success_ratio',
      help: 'Share of the last 50 operations that completed.',
    }),
    outbox: registry.gauge({ name: 'ovim_outbox_size', help: 'Results that the hub has not received.' }),
  }
}

export type AgentMetrics = ReturnType<typeof agentMetrics>

/** Shows counters that are 0, so that queries see the step to 1. */
export function showCounters(metrics: AgentMetrics, components: readonly string[]): void {
  metrics.kubernetesErrors.with({})
  for (const component of components) metrics.componentRestarts.with({ component })
  for (const type of OPERATION_TYPES) {
    for (const result of ['completed', 'failed']) metrics.operations.with({ type, result })
  }
}

/** Shows every state, so that queries find the series that are 0. */
export function setState(metrics: AgentMetrics, current: string): void {
  for (const state of AGENT_STATES) metrics.state.with({ state }).value = state === current ? 1 : 0
}

export function setMachines(metrics: AgentMetrics, statuses: readonly string[]): void {
  for (const status of VM_STATUSES) {
    metrics.machines.with({ status }).value = statuses.filter((candidate) => candidate === status).length
  }
}

import type { Clock } from '@orrery/kube/clock'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { OvimAgentConfig } from '../config/config.js'
import { ENDPOINTS, type HubClient } from '../hub/hub-client.js'
import type { AgentStateHolder } from '../lifecycle/agent-state.js'
import type { OperationProcessor } from '../operations/processor.js'
import type { Outbox } from '../records/outbox.js'
import type { VdcManager } from '../vdc/manager.js'
import { type AgentMetrics, setState } from './agent-metrics.js'

export interface MetricSources {
  readonly identity: Pick<OvimAgentConfig, 'version' | 'clusterId' | 'zoneId'>
  readonly state: AgentStateHolder
  /** Why the agent cannot take operations; empty if it can. */
  readonly readiness: () => readonly string[]
  readonly hub: Pick<HubClient, 'lastContact' | 'breakerOf'>
  readonly vdcs: Pick<VdcManager, 'list'>
  readonly processor: Pick<OperationProcessor, 'depth' | 'successRatio'>
  readonly outbox: Pick<Outbox, 'size'>
  readonly clock: Clock
}

/** Sets the metrics that are read rather than counted, whenever somebody asks for them. Returns a function that ends it. */
export function publishMetrics(registry: MetricRegistry, metrics: AgentMetrics, sources: MetricSources): () => void {
  const { identity, state, readiness, hub, vdcs, processor, outbox, clock } = sources
  const { version, clusterId: cluster, zoneId: zone } = identity
  const started = clock.elapsed()
  return registry.beforeRender(() => {
    setState(metrics, state.state)
    metrics.ready.with({}).value = readiness().length === 0 ? 1 : 0
    metrics.info.with({ version, cluster, zone }).value = 1
    metrics.uptime.with({}).value = (clock.elapsed() - started) / 1_000
    metrics.hubConnected.with({}).value = state.isRegistered ? 1 : 0
    metrics.hubLastContact.with({}).value = (hub.lastContact?.getTime() ?? 0) / 1_000
    for (const endpoint of ENDPOINTS) {
      metrics.hubBreakerOpen.with({ endpoint }).value = hub.breakerOf(endpoint).state === 'closed' ? 0 : 1
    }
    metrics.vdcs.replace([])
    for (const { status } of vdcs.list()) metrics.vdcs.with({ phase: status }).value++
    metrics.operationsQueued.with({}).value = processor.depth
    metrics.operationSuccess.with({}).value = processor.successRatio
    metrics.outbox.with({}).value = outbox.size
  })
}

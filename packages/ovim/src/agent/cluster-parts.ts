import type { AgentContext } from './context.js'
import { MetricsCollector } from './metrics/collector.js'
import { TemplateManager } from './templates/manager.js'
import { TemplateStore } from './templates/template-store.js'
import { VdcManager } from './vdc/manager.js'
import { VmManager } from './vm/manager.js'

/** The components that watch the cluster. */
export interface ClusterParts {
  readonly machines: VmManager
  readonly vdcs: VdcManager
  readonly templates: TemplateManager
  readonly collector: MetricsCollector
}

/** @param onChange Called when something changes that the hub should hear of soon. */
export function clusterParts(context: AgentContext, onChange: () => void): ClusterParts {
  const { spoke: client, hub, clock, log, metrics, now, identity } = context
  const { clusterId, zoneId, namespace } = identity
  const machines = new VmManager({ client, clock, log: log.child('vm'), onChange })
  return {
    machines,
    vdcs: new VdcManager({ client, clock, log: log.child('vdc'), onChange }),
    templates: new TemplateManager({
      client,
      hub,
      store: new TemplateStore(client, namespace, log),
      clock,
      log: log.child('templates'),
      isEnabled: () => now().features.templateSync,
    }),
    collector: new MetricsCollector({
      client,
      clusterId,
      zoneId,
      clock,
      log: log.child('metrics'),
      metrics,
      isEnabled: () => now().metrics.enabled,
      intervalMs: () => now().metrics.collectionIntervalMs,
      machines: () => machines.list(),
    }),
  }
}

import type { JsonObject } from '@orrery/kinds'
import type { AgentHealth } from '../wire/index.js'
import { recordOperation } from './audit/operation-events.js'
import type { ClusterParts } from './cluster-parts.js'
import type { AgentContext } from './context.js'
import { OperationPoller } from './hub/operation-poller.js'
import type { StatusReporter } from './hub/status-reporter.js'
import { OperationProcessor } from './operations/processor.js'
import { Outbox } from './records/outbox.js'
import { RecordStore } from './records/record-store.js'
import { VdcLifecycle } from './vdc/lifecycle.js'
import { VmLifecycle } from './vm/lifecycle.js'

/** The components between an operation of the hub and its result. */
export interface OperationParts {
  readonly outbox: Outbox
  readonly processor: OperationProcessor
  readonly poller: OperationPoller
}

export interface OperationNeeds {
  readonly cluster: ClusterParts
  readonly reporter: Pick<StatusReporter, 'reportSoon' | 'reportNow'>
  health(): AgentHealth
  /** Why no operations can be taken; empty if they can. */
  obstacles(): readonly string[]
}

export function operationParts(context: AgentContext, needs: OperationNeeds): OperationParts {
  const { spoke, hub, clock, log, metrics, events, audit, random, now, retry, identity } = context
  const { clusterId, zoneId, namespace } = identity
  const { cluster, reporter, health, obstacles } = needs
  const { machines, templates, collector } = cluster
  const outbox = new Outbox({
    hub,
    store: new RecordStore(spoke, namespace, log),
    clock,
    log: log.child('outbox'),
    retentionMs: () => now().metrics.retentionMs,
  })
  const processor = new OperationProcessor({
    context: {
      clusterId,
      machines: new VmLifecycle(spoke, (request, signal) => templates.resolve(request, signal)),
      vdcs: new VdcLifecycle(spoke, { clusterId, zoneId }, namespace),
      templates,
      isVdcManagementEnabled: () => now().features.vdcManagement,
      updateConfig: (changes) => updateConfig(context, changes),
      listMachines: () => machines.list(),
      health,
      metrics: () => collector.current,
    },
    outbox,
    clock,
    log: log.child('operations'),
    concurrency: () => now().operations.concurrency,
    queueSize: () => now().operations.queueSize,
    timeoutMs: () => now().operations.timeoutMs,
    sendProgress: (result, signal) => hub.sendProgress(result, signal),
    onFinished(finished) {
      metrics.operations.with({ type: finished.type, result: finished.result.status }).add()
      metrics.operationDuration.with({ type: finished.type }).observe(finished.seconds)
      recordOperation(finished, events, audit)
      reporter.reportSoon()
    },
  })
  const poller = new OperationPoller({
    hub,
    clock,
    log: log.child('operations'),
    retry,
    waitMs: () => now().operations.waitMs,
    pollIntervalMs: () => now().operations.pollIntervalMs,
    isReady: () => obstacles().length === 0 && !processor.isFull && !outbox.isFull,
    onOperation: (operation) =>
      void processor.accept(operation).catch((error) => log.error('operation lost', { error })),
    onFailure: () => reporter.reportNow(),
    random,
  })
  return { outbox, processor, poller }
}

/** Changes the running configuration, and keeps the change for the next start. Neither happens without the other. */
async function updateConfig({ config, updates, audit }: AgentContext, changes: JsonObject): Promise<string[]> {
  const before = config.updates
  const keys = config.update(changes)
  try {
    await updates.write(config.updates)
  } catch (error) {
    config.replace(before)
    throw error
  }
  audit.record({ kind: 'config', action: 'update', target: keys.join(','), outcome: 'completed' })
  return keys
}

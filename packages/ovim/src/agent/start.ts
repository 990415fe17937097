import type { JsonObject } from '@orrery/kinds'
import { Namespace } from '@orrery/kinds/core'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient, Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { EventRecorder } from '@orrery/kube/events'
import type { Logger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import type { AgentState, StatusReport } from '../wire/index.js'
import { localApiOf } from './api/views.js'
import { AuditLog } from './audit/audit-log.js'
import { recordOperation, recordState } from './audit/operation-events.js'
import type { OvimAgentConfig } from './config/config.js'
import type { LiveConfig } from './config/live-config.js'
import { withLiveLevel } from './config/live-logger.js'
import { ConfigUpdateStore } from './config/update-store.js'
import { Janitor } from './health/janitor.js'
import { HealthMonitor } from './health/monitor.js'
import { connectHub } from './hub/connect.js'
import { HubClient } from './hub/hub-client.js'
import { OperationPoller } from './hub/operation-poller.js'
import type { RetryPolicy } from './hub/retry.js'
import { StatusReporter } from './hub/status-reporter.js'
import { AgentStateHolder } from './lifecycle/agent-state.js'
import type { Component } from './lifecycle/component.js'
import { reportedStatus } from './lifecycle/state-machine.js'
import { Supervisor } from './lifecycle/supervisor.js'
import { agentMetrics } from './metrics/agent-metrics.js'
import { MetricsCollector } from './metrics/collector.js'
import { publishMetrics } from './metrics/publish.js'
import { FIELD_MANAGER } from './names.js'
import { OperationProcessor } from './operations/processor.js'
import { Outbox } from './records/outbox.js'
import { RecordStore } from './records/record-store.js'
import { TemplateManager } from './templates/manager.js'
import { TemplateStore } from './templates/template-store.js'
import { VdcLifecycle } from './vdc/lifecycle.js'
import { VdcManager } from './vdc/manager.js'
import { VmLifecycle } from './vm/lifecycle.js'
import { VmManager } from './vm/manager.js'

export interface OvimAgentOptions {
  readonly config: LiveConfig
  /** A client of the cluster. */
  readonly spoke: KubeClient
  /** Should write all levels: the level of the configuration, which can change, is applied to it. */
  readonly log: Logger
  /** Default: the system's. */
  readonly clock?: Clock
  /** Default: a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Connections to the hub. Default: as the configuration says. */
  readonly hubTransport?: Transport
  /** Returns a number from 0 to 1, for jitter. Default `Math.random`. */
  readonly random?: () => number
}

export interface OvimAgent {
  readonly state: AgentState
  /** The port of the local API; 0 without one. */
  readonly apiPort: number
  readonly metrics: MetricRegistry
  /** Calls back for every transition. Returns a function that unsubscribes. */
  onState(onChange: (state: AgentState, before: AgentState) => void): () => void
  /** Takes no more operations, finishes those in progress, tells the hub, and releases everything. */
  stop(): Promise<void>
}

/** Starts a spoke agent. Resolves when its components have started; it then registers with the hub by itself. */
export async function startOvimAgent(options: OvimAgentOptions): Promise<OvimAgent> {
  const { config, clock = systemClock } = options
  const log = withLiveLevel(options.log, () => config.current.logging.level)
  const spoke = options.spoke.withFieldManager(FIELD_MANAGER)
  const registry = options.metrics ?? new MetricRegistry()
  const random = options.random ?? Math.random
  const now = () => config.current
  const identity = now()
  const { agentId, clusterId, zoneId, version, namespace } = identity
  const updates = new ConfigUpdateStore(spoke, namespace)
  await ensureNamespace(spoke, namespace)
  restoreUpdates(config, await updates.read(), log)

  const metrics = agentMetrics(registry)
  const state = new AgentStateHolder(log.child('state'))
  const audit = new AuditLog(log, clock)
  const events = new EventRecorder(spoke, { controller: 'ovim.io/spoke-agent', instance: agentId, clock, log })
  const hub = new HubClient({
    transport: options.hubTransport ?? connectHub(now().hub, { log, userAgent: `ovim-spoke-agent/${version}` }),
    agentId,
    clusterId,
    zoneId,
    version,
    timeoutMs: () => now().hub.timeoutMs,
    retry: () => retryPolicy(now()),
    clock,
    random,
    onAttempt(endpoint, outcome, seconds) {
      metrics.hubRequests.with({ endpoint, outcome }).add()
      if (endpoint !== 'operations') metrics.hubLatency.with({ endpoint }).observe(seconds)
    },
  })

  const machines = new VmManager({ client: spoke, clock, log: log.child('vm'), onChange: () => reporter.reportSoon() })
  const vdcs = new VdcManager({ client: spoke, clock, log: log.child('vdc'), onChange: () => reporter.reportSoon() })
  const templates = new TemplateManager({
    client: spoke,
    hub,
    store: new TemplateStore(spoke, namespace, log),
    clock,
    log: log.child('templates'),
    isEnabled: () => now().features.templateSync,
  })
  const collector = new MetricsCollector({
    client: spoke,
    clusterId,
    zoneId,
    clock,
    log: log.child('metrics'),
    metrics,
    isEnabled: () => now().metrics.enabled,
    intervalMs: () => now().metrics.collectionIntervalMs,
    machines: () => machines.list(),
  })
  const outbox = new Outbox({
    hub,
    store: new RecordStore(spoke, namespace, log),
    clock,
    log: log.child('outbox'),
    retentionMs: () => now().metrics.retentionMs,
  })

  async function updateConfig(changes: JsonObject): Promise<string[]> {
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

  const processor = new OperationProcessor({
    context: {
      clusterId,
      machines: new VmLifecycle(spoke, (request, signal) => templates.resolve(request, signal)),
      vdcs: new VdcLifecycle(spoke, { clusterId, zoneId }, namespace),
      templates,
      isVdcManagementEnabled: () => now().features.vdcManagement,
      updateConfig,
      listMachines: () => machines.list(),
      health: () => monitor.current(),
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
    retry: () => retryPolicy(now()),
    waitMs: () => now().operations.waitMs,
    pollIntervalMs: () => now().operations.pollIntervalMs,
    isReady: () => problemsOfReadiness().length === 0 && !processor.isFull && !outbox.isFull,
    onOperation: (operation) =>
      void processor.accept(operation).catch((error) => log.error('operation lost', { error })),
    onFailure: () => reporter.reportNow(),
    random,
  })
  const reporter: StatusReporter = new StatusReporter({
    hub,
    state,
    clock,
    log: log.child('hub'),
    retry: () => retryPolicy(now()),
    intervalMs: () => now().metrics.reportingIntervalMs,
    report,
    random,
  })
  const localApi =
    now().api.enabled && now().features.localApi
      ? localApiOf({
          config,
          updates,
          client: spoke,
          registry,
          clock,
          log: log.child('api'),
          state,
          hub,
          templates,
          outbox,
          audit,
          running: () => processor.running,
          health: () => monitor.current(),
          report,
          readiness: problemsOfReadiness,
          register: () => reporter.reportNow(),
        })
      : undefined

  // In the order of their dependencies: the poller is last, so that it is the first to stop.
  const components: Component[] = [
    outbox,
    templates,
    vdcs,
    machines,
    collector,
    ...(localApi === undefined ? [] : [localApi]),
    new Janitor({ client: spoke, clock, log: log.child('janitor') }),
    reporter,
    processor,
    poller,
  ]
  const supervisor = new Supervisor({
    components,
    clock,
    log: log.child('supervisor'),
    failureThreshold: () => now().health.failureThreshold,
    onRestart: (component) => metrics.componentRestarts.with({ component }).add(),
  })
  const monitor = new HealthMonitor({
    client: spoke,
    supervisor,
    state,
    metrics,
    clock,
    log: log.child('health'),
    version,
    intervalMs: () => now().health.checkIntervalMs,
    cluster: () => collector.current,
  })

  function report(): StatusReport {
    const errors = monitor.problems()
    const { callbackUrl } = now().api
    return {
      agent_id: agentId,
      cluster_id: clusterId,
      zone_id: zoneId,
      status: reportedStatus(state.state === 'Connecting' ? 'Healthy' : state.state),
      state: state.state,
      version,
      metrics: collector.current,
      vdcs: vdcs.list(),
      vms: machines.list(),
      last_hub_contact: (hub.lastContact ?? clock.now()).toISOString(),
      report_time: clock.now().toISOString(),
      ...(errors.length > 0 && { errors }),
      ...(callbackUrl !== '' && { callback_url: callbackUrl }),
      health: monitor.current(),
    }
  }

  function problemsOfReadiness(): string[] {
    return [
      ...(state.isRegistered ? [] : [`not registered with the hub: ${hub.lastFailure || 'connecting'}`]),
      ...(outbox.isLoaded ? [] : ['the records of executed operations are not loaded']),
      ...(state.state === 'Unhealthy' ? monitor.problems() : []),
    ]
  }

  const stopPublishing = publishMetrics(registry, metrics, { identity, state, hub, vdcs, processor, outbox, clock })
  const stopRecording = state.subscribe((next, before) => {
    recordState(next, before, namespace, events, audit)
    if (before === 'Connecting') outbox.sendNow()
  })
  await supervisor.start()
  monitor.start()

  return {
    metrics: registry,
    get state() {
      return state.state
    },
    get apiPort() {
      return localApi?.port ?? 0
    },
    onState: (onChange) => state.subscribe(onChange),
    async stop() {
      await monitor.stop()
      await supervisor.stop()
      stopPublishing()
      stopRecording()
      await events.close()
      hub.close()
    },
  }
}

function retryPolicy({ retry }: OvimAgentConfig): RetryPolicy {
  return {
    retries: retry.maxRetries,
    firstDelayMs: retry.initialDelayMs,
    maxDelayMs: retry.maxDelayMs,
    factor: retry.multiplier,
    jitter: 0.1,
  }
}

/** What an earlier run was told may not fit this version: then it is ignored. */
function restoreUpdates(config: LiveConfig, stored: Readonly<Record<string, unknown>>, log: Logger): void {
  try {
    config.replace(stored)
  } catch (error) {
    log.warn('stored configuration updates are ignored', { error })
  }
}

async function ensureNamespace(client: KubeClient, name: string): Promise<void> {
  if ((await client.find(Namespace, { name })) !== undefined) return
  try {
    await client.create(Namespace, { metadata: { name } })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}

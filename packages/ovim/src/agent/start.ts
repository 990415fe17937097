import type { MetricRegistry } from '@orrery/kube/metrics'
import type { AgentState, StatusReport } from '../wire/index.js'
import { localApiOf } from './api/views.js'
import { recordState } from './audit/operation-events.js'
import { clusterParts } from './cluster-parts.js'
import { agentContext, type OvimAgentOptions } from './context.js'
import { Janitor } from './health/janitor.js'
import { HealthMonitor } from './health/monitor.js'
import { StatusReporter } from './hub/status-reporter.js'
import type { Component } from './lifecycle/component.js'
import { reportedStatus } from './lifecycle/state-machine.js'
import { Supervisor } from './lifecycle/supervisor.js'
import { showCounters } from './metrics/agent-metrics.js'
import { publishMetrics } from './metrics/publish.js'
import { operationParts } from './operation-parts.js'

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
  const context = await agentContext(options)
  const { config, identity, spoke, hub, clock, random, log, registry, metrics, state, audit, events, now } = context
  const { agentId, clusterId, zoneId, version, namespace } = identity

  const reporter: StatusReporter = new StatusReporter({
    hub,
    state,
    clock,
    log: log.child('hub'),
    retry: context.retry,
    intervalMs: () => now().metrics.reportingIntervalMs,
    report,
    random,
  })
  const cluster = clusterParts(context, () => reporter.reportSoon())
  const { machines, vdcs, templates, collector } = cluster
  const { outbox, processor, poller } = operationParts(context, {
    cluster,
    reporter,
    health: () => monitor.current(),
    obstacles: problemsOfReadiness,
  })
  const localApi =
    now().api.enabled && now().features.localApi
      ? localApiOf({
          config,
          updates: context.updates,
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

  showCounters(
    metrics,
    components.map(({ name }) => name),
  )
  const stopPublishing = publishMetrics(registry, metrics, {
    identity,
    state,
    readiness: problemsOfReadiness,
    hub,
    vdcs,
    processor,
    outbox,
    clock,
  })
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

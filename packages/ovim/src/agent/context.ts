import { Namespace } from '@orrery/kinds/core'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient, Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { EventRecorder } from '@orrery/kube/events'
import type { Logger } from '@orrery/kube/log'
import { MetricRegistry } from '@orrery/kube/metrics'
import { AuditLog } from './audit/audit-log.js'
import type { OvimAgentConfig } from './config/config.js'
import type { LiveConfig } from './config/live-config.js'
import { withLiveLevel } from './config/live-logger.js'
import { ConfigUpdateStore } from './config/update-store.js'
import { connectHub } from './hub/connect.js'
import { HubClient } from './hub/hub-client.js'
import type { RetryPolicy } from './hub/retry.js'
import { AgentStateHolder } from './lifecycle/agent-state.js'
import { type AgentMetrics, agentMetrics } from './metrics/agent-metrics.js'
import { countingRequests } from './metrics/request-counter.js'
import { FIELD_MANAGER } from './names.js'

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

/** What all components of an agent use. */
export interface AgentContext {
  readonly config: LiveConfig
  /** The configuration of the start: names do not change while the agent runs. */
  readonly identity: Pick<OvimAgentConfig, 'agentId' | 'clusterId' | 'zoneId' | 'version' | 'namespace'>
  readonly spoke: KubeClient
  readonly hub: HubClient
  readonly clock: Clock
  readonly random: () => number
  readonly log: Logger
  readonly registry: MetricRegistry
  readonly metrics: AgentMetrics
  readonly state: AgentStateHolder
  readonly audit: AuditLog
  readonly events: EventRecorder
  readonly updates: ConfigUpdateStore
  /** The configuration of this moment. */
  now(): OvimAgentConfig
  retry(): RetryPolicy
}

/** Prepares the namespace of the agent, and restores what ConfigUpdate operations have set before. */
export async function agentContext(options: OvimAgentOptions): Promise<AgentContext> {
  const { config, clock = systemClock, random = Math.random, metrics: registry = new MetricRegistry() } = options
  const now = () => config.current
  const log = withLiveLevel(options.log, () => now().logging.level)
  const metrics = agentMetrics(registry)
  const spoke = countingRequests(options.spoke, metrics).withFieldManager(FIELD_MANAGER)
  const identity = now()
  const { agentId, clusterId, zoneId, version, namespace } = identity
  const updates = new ConfigUpdateStore(spoke, namespace)
  await ensureNamespace(spoke, namespace)
  restoreUpdates(config, await updates.read(), log)
  const retry = () => retryPolicy(now())
  const hub = new HubClient({
    transport: options.hubTransport ?? connectHub(now().hub, { log, userAgent: `ovim-spoke-agent/${version}` }),
    agentId,
    clusterId,
    zoneId,
    version,
    timeoutMs: () => now().hub.timeoutMs,
    retry,
    clock,
    random,
    onAttempt(endpoint, outcome, seconds) {
      metrics.hubRequests.with({ endpoint, outcome }).add()
      if (endpoint !== 'operations') metrics.hubLatency.with({ endpoint }).observe(seconds)
    },
  })
  return {
    config,
    identity,
    spoke,
    hub,
    clock,
    random,
    log,
    registry,
    metrics,
    state: new AgentStateHolder(log.child('state')),
    audit: new AuditLog(log, clock),
    events: new EventRecorder(spoke, { controller: 'ovim.io/spoke-agent', instance: agentId, clock, log }),
    updates,
    now,
    retry,
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

import { getHeapStatistics } from 'node:v8'
import type { KubeClient } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import type { Logger } from '@orrery/kube/log'
import { within } from '@orrery/kube/process'
import {
  type AgentHealth,
  type CheckStatus,
  type ClusterMetrics,
  type HealthCheck,
  nanoseconds,
} from '../../wire/index.js'
import type { AgentStateHolder } from '../lifecycle/agent-state.js'
import { Periodic } from '../lifecycle/periodic.js'
import { reportedStatus } from '../lifecycle/state-machine.js'
import type { Supervisor } from '../lifecycle/supervisor.js'
import type { AgentMetrics } from '../metrics/agent-metrics.js'

export interface MonitorOptions {
  readonly client: KubeClient
  readonly supervisor: Pick<Supervisor, 'check' | 'failing'>
  readonly state: AgentStateHolder
  readonly metrics: AgentMetrics
  readonly clock: Clock
  readonly log: Logger
  readonly version: string
  readonly intervalMs: () => number
  readonly cluster: () => ClusterMetrics
}

const KUBERNETES_LIMIT_MS = 10_000
/** The share of memory, CPU or storage in use from which the cluster is short of it. */
const SHORTAGE_PERCENT = 90

/**
 * Checks the components, the cluster's API, and the resources of the process and the cluster. The supervisor restarts
 * what fails; the state of the agent follows.
 */
export class HealthMonitor {
  readonly #options: MonitorOptions
  readonly #checking: Periodic
  readonly #started: number
  #checks: readonly HealthCheck[] = []
  #lastReport: string

  constructor(options: MonitorOptions) {
    this.#options = options
    this.#started = options.clock.elapsed()
    this.#lastReport = options.clock.now().toISOString()
    this.#checking = new Periodic(options.clock, options.intervalMs, (signal) => this.check(signal))
  }

  start(): void {
    this.#checking.start()
  }

  async stop(): Promise<void> {
    await this.#checking.stop()
  }

  checkNow(): void {
    this.#checking.wake()
  }

  current(): AgentHealth {
    const { clock, version, state } = this.#options
    return {
      status: reportedStatus(state.state),
      checks: this.#checks,
      uptime: nanoseconds(clock.elapsed() - this.#started),
      version,
      last_report: this.#lastReport,
    }
  }

  /** What is wrong, for the errors of a report. */
  problems(): string[] {
    return this.#checks.flatMap(({ component, status, message }) => {
      return status === 'healthy' ? [] : [`${component}: ${message ?? status}`]
    })
  }

  async check(signal: AbortSignal): Promise<void> {
    const { supervisor, state, clock } = this.#options
    const kubernetes = await this.#kubernetes(signal)
    if (signal.aborted) return
    this.#checks = [...supervisor.check(), kubernetes, this.#memory(), ...this.#capacity()]
    this.#lastReport = clock.now().toISOString()
    const { failing, failingCritical } = supervisor.failing()
    const isDown = kubernetes.status === 'critical'
    state.observe({ failing: failing + (isDown ? 1 : 0), failingCritical: failingCritical + (isDown ? 1 : 0) })
    this.#publish()
  }

  async #kubernetes(signal: AbortSignal): Promise<HealthCheck> {
    const { client, clock, metrics } = this.#options
    const started = clock.elapsed()
    const duration = () => nanoseconds(clock.elapsed() - started)
    try {
      await within(clock, KUBERNETES_LIMIT_MS, signal, (limited) => client.getJson('/version', { signal: limited }))
      return { ...this.#result('kubernetes-api', 'healthy'), duration: duration() }
    } catch (error) {
      if (!signal.aborted) metrics.kubernetesErrors.with({}).add()
      const message = `the cluster's API does not reply: ${(error as Error).message}`
      return { ...this.#result('kubernetes-api', 'critical', message), duration: duration() }
    }
  }

  #memory(): HealthCheck {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
    const percent = Math.round((used / limit) * 100)
    const isShort = percent >= SHORTAGE_PERCENT
    return this.#result(
      'memory',
      isShort ? 'warning' : 'healthy',
      isShort ? `the agent uses ${percent} % of its memory` : undefined,
    )
  }

  #capacity(): HealthCheck[] {
    const { resources } = this.#options.cluster()
    const shares = { cpu: resources.cpu_percent, memory: resources.memory_percent, storage: resources.storage_percent }
    return Object.entries(shares).map(([name, percent]) => {
      const isShort = percent >= SHORTAGE_PERCENT
      const message = isShort ? `${percent} % of the cluster's ${name} is in use` : undefined
      return this.#result(`cluster-${name}`, isShort ? 'warning' : 'healthy', message)
    })
  }

  #result(component: string, status: CheckStatus, message?: string): HealthCheck {
    const last_checked = this.#options.clock.now().toISOString()
    return { component, status, ...(message !== undefined && { message }), last_checked }
  }

  #publish(): void {
    const values = { healthy: 1, warning: 0.5, critical: 0 }
    for (const { component, status } of this.#checks) {
      this.#options.metrics.componentHealthy.with({ component }).value = values[status]
    }
  }
}

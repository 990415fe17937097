import type { LogLevel } from '@orrery/kube/log'

/** What an agent needs to know, with every default applied. Durations are in milliseconds. */
export interface OvimAgentConfig {
  readonly agentId: string
  readonly clusterId: string
  readonly zoneId: string
  readonly version: string
  /** The namespace on the cluster for the agent's own objects. */
  readonly namespace: string
  readonly hub: HubConfig
  readonly api: ApiConfig
  readonly kubernetes: KubernetesConfig
  /** Whether and how often cluster metrics are collected and reports are sent. */
  readonly metrics: MetricsConfig
  readonly health: HealthConfig
  readonly logging: LogConfig
  readonly retry: RetryConfig
  readonly operations: OperationsConfig
  readonly features: FeaturesConfig
}

export interface HubConfig {
  readonly endpoint: string
  readonly token: string
  /** A file with the token. It is read again when it changes, and takes precedence. */
  readonly tokenFile: string
  /** Do not verify the certificate of the hub. */
  readonly tlsInsecure: boolean
  readonly certPath: string
  readonly keyPath: string
  readonly caPath: string
  readonly timeoutMs: number
}

export interface ApiConfig {
  readonly enabled: boolean
  readonly address: string
  readonly port: number
  /** Sent to the hub with each report. The agent itself always polls. */
  readonly callbackUrl: string
}

export interface KubernetesConfig {
  /** A kubeconfig. Empty: kubectl's default, or the service account of the pod. */
  readonly kubeconfig: string
  /** Use the service account of the pod even if there is a kubeconfig. */
  readonly inCluster: boolean
  readonly qps: number
  readonly burst: number
}

export interface MetricsConfig {
  readonly enabled: boolean
  readonly collectionIntervalMs: number
  /** The time between status reports: the heartbeat. */
  readonly reportingIntervalMs: number
  /** How long records of reported operations are kept. */
  readonly retentionMs: number
}

export interface HealthConfig {
  readonly checkIntervalMs: number
  /** Checks in a row that must find a component critical until it is restarted. */
  readonly failureThreshold: number
}

export interface LogConfig {
  readonly level: LogLevel
  readonly format: 'json' | 'text'
}

export interface RetryConfig {
  readonly maxRetries: number
  readonly initialDelayMs: number
  readonly maxDelayMs: number
  readonly multiplier: number
}

export interface OperationsConfig {
  /** Operations that run at the same time. */
  readonly concurrency: number
  /** Received operations that have not finished. No more are fetched while there are so many. */
  readonly queueSize: number
  /** The time limit of operations that have none. */
  readonly timeoutMs: number
  /** How long the hub may keep a poll open. 0 polls every `pollIntervalMs`. */
  readonly waitMs: number
  /** The pause between polls if the hub replies to them at once. */
  readonly pollIntervalMs: number
}

export interface FeaturesConfig {
  readonly vdcManagement: boolean
  readonly templateSync: boolean
  readonly localApi: boolean
}

export const DEFAULTS: OvimAgentConfig = {
  agentId: '',
  clusterId: '',
  zoneId: '',
  version: '',
  namespace: 'ovim-system',
  hub: {
    endpoint: '',
    token: '',
    tokenFile: '',
    tlsInsecure: false,
    certPath: '',
    keyPath: '',
    caPath: '',
    timeoutMs: 30_000,
  },
  api: { enabled: true, address: '0.0.0.0', port: 8080, callbackUrl: '' },
  kubernetes: { kubeconfig: '', inCluster: false, qps: 20, burst: 30 },
  metrics: {
    enabled: true,
    collectionIntervalMs: 30_000,
    reportingIntervalMs: 30_000,
    retentionMs: 24 * 3_600_000,
  },
  health: { checkIntervalMs: 30_000, failureThreshold: 3 },
  logging: { level: 'info', format: 'json' },
  retry: { maxRetries: 5, initialDelayMs: 1_000, maxDelayMs: 60_000, multiplier: 2 },
  operations: { concurrency: 10, queueSize: 100, timeoutMs: 300_000, waitMs: 30_000, pollIntervalMs: 5_000 },
  features: { vdcManagement: true, templateSync: true, localApi: true },
}

/** A configuration that cannot be used. `problems` names each setting, what is wrong, and what to do. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`the configuration of the agent is not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

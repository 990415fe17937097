/** How a setting is written. A `delay` is a duration that may be 0. */
export type SettingType =
  | 'text'
  | 'boolean'
  | 'duration'
  | 'delay'
  | 'count'
  | 'number'
  | 'port'
  | 'level'
  | 'format'
  | 'url'

/** A setting: its place in the configuration, and the environment variables for it. */
export interface Setting {
  /** `hub.endpoint`: the key in files and ConfigUpdate operations, with the names below for single parts. */
  readonly key: string
  readonly type: SettingType
  /** The first that is set counts. */
  readonly variables: readonly string[]
  /** Whether ConfigUpdate can change it while the agent runs. */
  readonly live?: boolean
}

/**
 * All settings. The keys follow the configuration file of the public implementation: a key in snake case is the member
 * in camel case, and durations lose their unit there (`hub.timeout` is `hub.timeoutMs`).
 */
export const SETTINGS: readonly Setting[] = [
  { key: 'agent_id', type: 'text', variables: ['OVIM_AGENT_ID'] },
  { key: 'cluster_id', type: 'text', variables: ['OVIM_CLUSTER_ID', 'CLUSTER_NAME'] },
  { key: 'zone_id', type: 'text', variables: ['OVIM_ZONE_ID', 'ZONE_NAME'] },
  { key: 'version', type: 'text', variables: ['OVIM_VERSION'] },
  { key: 'namespace', type: 'text', variables: ['OVIM_NAMESPACE'] },
  { key: 'hub.endpoint', type: 'url', variables: ['OVIM_HUB_ENDPOINT'] },
  { key: 'hub.token', type: 'text', variables: ['OVIM_HUB_TOKEN'] },
  { key: 'hub.token_file', type: 'text', variables: ['OVIM_HUB_TOKEN_FILE'] },
  { key: 'hub.tls_insecure', type: 'boolean', variables: ['OVIM_HUB_TLS_INSECURE', 'OVIM_HUB_TLS_SKIP_VERIFY'] },
  { key: 'hub.cert_path', type: 'text', variables: ['OVIM_HUB_CERT_PATH'] },
  { key: 'hub.key_path', type: 'text', variables: ['OVIM_HUB_KEY_PATH'] },
  { key: 'hub.ca_path', type: 'text', variables: ['OVIM_HUB_CA_PATH'] },
  { key: 'hub.timeout', type: 'duration', variables: ['OVIM_HUB_TIMEOUT'], live: true },
  { key: 'api.enabled', type: 'boolean', variables: ['OVIM_API_ENABLED'] },
  { key: 'api.address', type: 'text', variables: ['OVIM_API_ADDRESS'] },
  { key: 'api.port', type: 'port', variables: ['OVIM_API_PORT'] },
  { key: 'api.callback_url', type: 'url', variables: ['OVIM_API_CALLBACK_URL'] },
  { key: 'kubernetes.kubeconfig', type: 'text', variables: ['KUBECONFIG'] },
  { key: 'kubernetes.in_cluster', type: 'boolean', variables: ['OVIM_K8S_IN_CLUSTER'] },
  { key: 'kubernetes.qps', type: 'number', variables: ['OVIM_K8S_QPS'] },
  { key: 'kubernetes.burst', type: 'count', variables: ['OVIM_K8S_BURST'] },
  { key: 'metrics.enabled', type: 'boolean', variables: ['OVIM_METRICS_ENABLED'], live: true },
  {
    key: 'metrics.collection_interval',
    type: 'duration',
    variables: ['OVIM_METRICS_COLLECTION_INTERVAL'],
    live: true,
  },
  {
    key: 'metrics.reporting_interval',
    type: 'duration',
    variables: ['OVIM_METRICS_REPORTING_INTERVAL', 'OVIM_HEALTH_REPORT_INTERVAL'],
    live: true,
  },
  { key: 'metrics.retention', type: 'duration', variables: ['OVIM_METRICS_RETENTION'], live: true },
  { key: 'health.check_interval', type: 'duration', variables: ['OVIM_HEALTH_CHECK_INTERVAL'], live: true },
  { key: 'health.failure_threshold', type: 'count', variables: ['OVIM_HEALTH_FAILURE_THRESHOLD'], live: true },
  { key: 'logging.level', type: 'level', variables: ['OVIM_LOG_LEVEL'], live: true },
  { key: 'logging.format', type: 'format', variables: ['OVIM_LOG_FORMAT'] },
  { key: 'retry.max_retries', type: 'count', variables: ['OVIM_RETRY_MAX_RETRIES'], live: true },
  { key: 'retry.initial_delay', type: 'duration', variables: ['OVIM_RETRY_INITIAL_DELAY'], live: true },
  { key: 'retry.max_delay', type: 'duration', variables: ['OVIM_RETRY_MAX_DELAY'], live: true },
  { key: 'retry.multiplier', type: 'number', variables: ['OVIM_RETRY_MULTIPLIER'], live: true },
  { key: 'operations.concurrency', type: 'count', variables: ['OVIM_OPERATIONS_CONCURRENCY'], live: true },
  { key: 'operations.queue_size', type: 'count', variables: ['OVIM_OPERATIONS_QUEUE_SIZE'], live: true },
  { key: 'operations.timeout', type: 'duration', variables: ['OVIM_OPERATIONS_TIMEOUT'], live: true },
  { key: 'operations.wait', type: 'delay', variables: ['OVIM_OPERATIONS_WAIT'], live: true },
  { key: 'operations.poll_interval', type: 'duration', variables: ['OVIM_OPERATIONS_POLL_INTERVAL'], live: true },
  { key: 'features.vdc_management', type: 'boolean', variables: ['OVIM_FEATURE_VDC_MANAGEMENT'], live: true },
  { key: 'features.template_sync', type: 'boolean', variables: ['OVIM_FEATURE_TEMPLATE_SYNC'], live: true },
  { key: 'features.local_api', type: 'boolean', variables: ['OVIM_FEATURE_LOCAL_API'] },
]

/** Variables that exist for compatibility and are checked, but set nothing. */
export const CHECKED_VARIABLES = { protocol: 'OVIM_HUB_PROTOCOL', tls: 'OVIM_HUB_TLS_ENABLED' } as const

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, type OvimAgentConfig } from './config.js'
import { LiveConfig } from './live-config.js'
import { loadAgentConfig } from './load.js'
import { SETTINGS } from './settings.js'

const REQUIRED = {
  OVIM_CLUSTER_ID: 'cluster-01',
  OVIM_HUB_ENDPOINT: 'https://ovim-hub.example.com',
  OVIM_HUB_TOKEN: 'secret',
  HOSTNAME: 'pod-1',
}

function problemsOf(call: () => unknown): readonly string[] {
  try {
    call()
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('agent config: the required variables are enough, and the defaults are the documented ones', () => {
  const config = loadAgentConfig({ environment: REQUIRED, version: '1.2.3' })
  assert.equal(config.agentId, 'ovim-spoke-pod-1')
  assert.equal(config.zoneId, 'cluster-01')
  assert.equal(config.version, '1.2.3')
  assert.equal(config.hub.tlsInsecure, false)
  assert.equal(config.logging.level, 'info')
  assert.equal(config.metrics.enabled, true)
  assert.equal(config.health.checkIntervalMs, 30_000)
  assert.equal(config.metrics.reportingIntervalMs, 30_000)
})

const VARIABLES: readonly (readonly [string, string, (config: OvimAgentConfig) => unknown, unknown])[] = [
  ['OVIM_AGENT_ID', 'a', (c) => c.agentId, 'a'],
  ['OVIM_CLUSTER_ID', 'b', (c) => c.clusterId, 'b'],
  ['OVIM_ZONE_ID', 'z', (c) => c.zoneId, 'z'],
  ['ZONE_NAME', 'zn', (c) => c.zoneId, 'zn'],
  ['OVIM_VERSION', '9', (c) => c.version, '9'],
  ['OVIM_NAMESPACE', 'vms', (c) => c.namespace, 'vms'],
  ['OVIM_HUB_ENDPOINT', 'https://other/', (c) => c.hub.endpoint, 'https://other'],
  ['OVIM_HUB_TOKEN', 't', (c) => c.hub.token, 't'],
  ['OVIM_HUB_TOKEN_FILE', '/t', (c) => c.hub.tokenFile, '/t'],
  ['OVIM_HUB_TLS_INSECURE', 'true', (c) => c.hub.tlsInsecure, true],
  ['OVIM_HUB_TLS_SKIP_VERIFY', '1', (c) => c.hub.tlsInsecure, true],
  ['OVIM_HUB_CA_PATH', '/ca', (c) => c.hub.caPath, '/ca'],
  ['OVIM_HUB_TIMEOUT', '10s', (c) => c.hub.timeoutMs, 10_000],
  ['OVIM_API_ENABLED', 'false', (c) => c.api.enabled, false],
  ['OVIM_API_ADDRESS', '127.0.0.1', (c) => c.api.address, '127.0.0.1'],
  ['OVIM_API_PORT', '9090', (c) => c.api.port, 9090],
  ['OVIM_API_CALLBACK_URL', 'https://me', (c) => c.api.callbackUrl, 'https://me'],
  ['KUBECONFIG', '/k', (c) => c.kubernetes.kubeconfig, '/k'],
  ['OVIM_K8S_IN_CLUSTER', 'true', (c) => c.kubernetes.inCluster, true],
  ['OVIM_K8S_QPS', '50', (c) => c.kubernetes.qps, 50],
  ['OVIM_K8S_BURST', '70', (c) => c.kubernetes.burst, 70],
  ['OVIM_LOG_LEVEL', 'WARNING', (c) => c.logging.level, 'warn'],
  ['OVIM_LOG_FORMAT', 'text', (c) => c.logging.format, 'text'],
  ['OVIM_METRICS_ENABLED', 'false', (c) => c.metrics.enabled, false],
  ['OVIM_METRICS_COLLECTION_INTERVAL', '1m', (c) => c.metrics.collectionIntervalMs, 60_000],
  ['OVIM_METRICS_REPORTING_INTERVAL', '15s', (c) => c.metrics.reportingIntervalMs, 15_000],
  ['OVIM_HEALTH_REPORT_INTERVAL', '20s', (c) => c.metrics.reportingIntervalMs, 20_000],
  ['OVIM_METRICS_RETENTION', '1h', (c) => c.metrics.retentionMs, 3_600_000],
  ['OVIM_HEALTH_CHECK_INTERVAL', '5s', (c) => c.health.checkIntervalMs, 5_000],
  ['OVIM_HEALTH_FAILURE_THRESHOLD', '5', (c) => c.health.failureThreshold, 5],
  ['OVIM_RETRY_MAX_RETRIES', '2', (c) => c.retry.maxRetries, 2],
  ['OVIM_RETRY_INITIAL_DELAY', '100ms', (c) => c.retry.initialDelayMs, 100],
  ['OVIM_RETRY_MAX_DELAY', '10s', (c) => c.retry.maxDelayMs, 10_000],
  ['OVIM_RETRY_MULTIPLIER', '1.5', (c) => c.retry.multiplier, 1.5],
  ['OVIM_OPERATIONS_CONCURRENCY', '3', (c) => c.operations.concurrency, 3],
  ['OVIM_OPERATIONS_QUEUE_SIZE', '9', (c) => c.operations.queueSize, 9],
  ['OVIM_OPERATIONS_TIMEOUT', '2m', (c) => c.operations.timeoutMs, 120_000],
  ['OVIM_OPERATIONS_WAIT', '0s', (c) => c.operations.waitMs, 0],
  ['OVIM_OPERATIONS_POLL_INTERVAL', '2s', (c) => c.operations.pollIntervalMs, 2_000],
  ['OVIM_FEATURE_VDC_MANAGEMENT', 'false', (c) => c.features.vdcManagement, false],
  ['OVIM_FEATURE_TEMPLATE_SYNC', 'false', (c) => c.features.templateSync, false],
  ['OVIM_FEATURE_LOCAL_API', 'false', (c) => c.features.localApi, false],
]
for (const [name, value, read, expected] of VARIABLES) {
  test(`agent config: ${name}`, () => {
    assert.equal(read(loadAgentConfig({ environment: { ...REQUIRED, [name]: value } })), expected)
  })
}

test('agent config: CLUSTER_NAME is used without OVIM_CLUSTER_ID', () => {
  const { OVIM_CLUSTER_ID: _, ...rest } = REQUIRED
  assert.equal(loadAgentConfig({ environment: { ...rest, CLUSTER_NAME: 'edge' } }).clusterId, 'edge')
})

test('agent config: OVIM_HUB_CERT_PATH and OVIM_HUB_KEY_PATH replace the token', () => {
  const { OVIM_HUB_TOKEN: _, ...rest } = REQUIRED
  const environment = { ...rest, OVIM_HUB_CERT_PATH: '/c', OVIM_HUB_KEY_PATH: '/k' }
  const { hub } = loadAgentConfig({ environment })
  assert.deepEqual([hub.certPath, hub.keyPath], ['/c', '/k'])
  const { OVIM_HUB_KEY_PATH: __, ...half } = environment
  assert.match(problemsOf(() => loadAgentConfig({ environment: half })).join(), /OVIM_HUB_KEY_PATH: set both or none/)
})

test('agent config: the tests above name every variable', () => {
  const tested = new Set(VARIABLES.map(([name]) => name))
  const others = ['CLUSTER_NAME', 'OVIM_HUB_CERT_PATH', 'OVIM_HUB_KEY_PATH']
  for (const name of others) tested.add(name)
  assert.deepEqual([...tested].sort(), SETTINGS.flatMap(({ variables }) => variables).sort())
})

test('agent config: names every problem at once, and never shows the token', () => {
  const problems = problemsOf(() =>
    loadAgentConfig({
      environment: {
        OVIM_HUB_ENDPOINT: 'hub',
        OVIM_API_PORT: '99999',
        OVIM_HEALTH_CHECK_INTERVAL: '0s',
        OVIM_HUB_PROTOCOL: 'ftp',
      },
      file: { name: 'agent.yaml', text: 'hub:\n  tokn: x\nlogging:\n  level: loud\n' },
    }),
  )
  for (const expected of [
    'agent.yaml: hub.tokn: unknown setting',
    'agent.yaml: logging.level: "loud" must be debug, info, warn or error',
    'OVIM_HUB_ENDPOINT: "hub" must be a URL, such as "https://ovim-hub.example.com"',
    'OVIM_API_PORT: "99999" must be a port, from 0 to 65535',
    'OVIM_HEALTH_CHECK_INTERVAL: "0s" must be longer than 0, such as "30s"',
    'OVIM_HUB_PROTOCOL: "ftp" must be https or http',
    'OVIM_CLUSTER_ID: required: set it to the name of this cluster',
  ]) {
    assert.ok(problems.includes(expected), `${expected} in ${problems.join('\n')}`)
  }
  assert.ok(problems.some((problem) => problem.startsWith('OVIM_HUB_TOKEN: required')))
})

test('agent config: OVIM_HUB_PROTOCOL and OVIM_HUB_TLS_ENABLED must fit the endpoint', () => {
  const withHttp = { ...REQUIRED, OVIM_HUB_ENDPOINT: 'http://hub', OVIM_HUB_PROTOCOL: 'https' }
  assert.match(problemsOf(() => loadAgentConfig({ environment: withHttp })).join(), /OVIM_HUB_PROTOCOL: https/)
  const withoutTls = { ...REQUIRED, OVIM_HUB_TLS_ENABLED: 'false' }
  assert.match(problemsOf(() => loadAgentConfig({ environment: withoutTls })).join(), /OVIM_HUB_TLS_ENABLED: false/)
})

test('agent config: the environment takes precedence over the file', () => {
  const text = 'cluster_id: from-file\nhub:\n  timeout: 5s\noperations:\n  concurrency: 4\n'
  const config = loadAgentConfig({ environment: REQUIRED, file: { name: 'agent.yaml', text } })
  assert.equal(config.clusterId, 'cluster-01')
  assert.equal(config.hub.timeoutMs, 5_000)
  assert.equal(config.operations.concurrency, 4)
})

test('live config: ConfigUpdate changes live settings and calls back', () => {
  const config = new LiveConfig({ environment: { ...REQUIRED, OVIM_LOG_LEVEL: 'warn' } })
  const seen: string[] = []
  config.subscribe(({ logging }) => seen.push(logging.level))
  const keys = config.update({ logging: { level: 'debug' }, 'metrics.reporting_interval': '10s' })
  assert.deepEqual(keys, ['logging.level', 'metrics.reporting_interval'])
  assert.equal(config.current.metrics.reportingIntervalMs, 10_000)
  config.update({ 'logging.level': null })
  assert.deepEqual(seen, ['debug', 'warn'])
  assert.deepEqual(config.updates, { 'metrics.reporting_interval': '10s' })
})

test('live config: an update with a problem changes nothing and names all problems', () => {
  const config = new LiveConfig({ environment: REQUIRED })
  const problems = problemsOf(() =>
    config.update({ logging: { level: 'debug' }, hub: { endpoint: 'https://x' }, nope: 1 }),
  )
  assert.deepEqual(problems, [
    'hub.endpoint: needs a restart: set OVIM_HUB_ENDPOINT and restart the agent',
    'nope: unknown setting',
  ])
  assert.match(problemsOf(() => config.update({ 'hub.timeout': 'soon' })).join(), /ConfigUpdate hub.timeout: "soon"/)
  assert.equal(config.current.logging.level, 'info')
  assert.deepEqual(config.updates, {})
})

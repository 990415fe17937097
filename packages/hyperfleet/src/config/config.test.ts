import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { AdapterError } from '../adapter-error.js'
import { type LoadOptions, loadAdapter } from './load.js'

const CONFIG = `
adapter: { name: controlplane, version: "1.0" }
log: { level: warning }
clients:
  hyperfleet_api: { base_url: http://api:8000, timeout: 2s, default_headers: { x-team: a } }
  maestro: { grpc_server_address: maestro:8090, http_server_address: http://maestro:8000, source_id: a1, insecure: true }
  broker: { subscription_id: s, topic: t }
`

function load(t: TestContext, config: string, task: string, options: Partial<LoadOptions> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'config-'))
  t.after(() => rmSync(directory, { recursive: true }))
  const [configFile, taskFile] = [join(directory, 'config.yaml'), join(directory, 'task.yaml')]
  writeFileSync(configFile, config)
  writeFileSync(taskFile, task)
  writeFileSync(join(directory, 'payload.yaml'), 'adapter: "{{ .adapter.name }}"')
  return loadAdapter({ configFile, taskFile, environment: {}, ...options })
}

function problems(run: () => unknown): string[] {
  try {
    run()
  } catch (error) {
    const { message, code } = error as AdapterError
    assert.equal(code, 'hyperfleet-adapter-17')
    return message
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
  }
  return []
}

test('loadAdapter: flags take precedence over the environment, the environment over the file, the file over defaults', (t) => {
  const environment = {
    HYPERFLEET_API_BASE_URL: 'http://env:1',
    HYPERFLEET_API_TIMEOUT: '3s',
    HYPERFLEET_MAESTRO_SOURCE_ID: 'env',
    LOG_LEVEL: 'DEBUG',
  }
  const { config } = load(t, CONFIG, '{}', { environment, flags: { 'hyperfleet-api-base-url': 'http://flag:2' } })
  assert.equal(config.api.baseUrl, 'http://flag:2')
  assert.equal(config.api.timeoutMilliseconds, 3_000)
  assert.equal(config.maestro?.sourceId, 'env')
  assert.equal(config.log.level, 'debug')
  assert.deepEqual(config.adapter, { name: 'controlplane', version: '1.0' })
  assert.deepEqual([config.api.version, config.api.retryAttempts, config.api.retryBackoff], ['v1', 3, 'exponential'])
  assert.deepEqual(config.api.defaultHeaders, { 'x-team': 'a' })
})

test('loadAdapter: names every field of the adapter config that is not valid', (t) => {
  const config = `
adapter: { version: 2 }
log: { level: loud }
clients:
  hyperfleet_api: { base_url: api, timeout: soon, retry_attempts: 0, retry_backoff: random, retries: 1 }
  maestro: { grpc_server_address: maestro:8090, http_server_address: http://maestro:8000, source_id: a1, auth: { tls_config: { cert_file: /c } } }
`
  assert.deepEqual(
    problems(() => load(t, config, '{}')),
    [
      'adapter.name: Required value',
      'log.level: Unsupported value: "loud": supported values: "debug", "info", "warn", "warning", "error"',
      'clients.hyperfleet_api.base_url: Invalid value: "api": must begin with http:// or https://',
      'clients.hyperfleet_api.timeout: Invalid value: "soon": must be a positive duration, such as "10s"',
      'clients.hyperfleet_api.retry_attempts: Invalid value: 0: must be a whole number of at least 1',
      'clients.hyperfleet_api.retry_backoff: Unsupported value: "random": supported values: "exponential", "linear", "constant"',
      'clients.hyperfleet_api.retries: Invalid value: "retries": unknown field',
      'clients.maestro.auth.tls_config.key_file: Required value: a certificate and its key are used together',
      'clients.maestro.http_server_address: Invalid value: "http://maestro:8000": must begin with https://, or set clients.maestro.insecure to true',
    ],
  )
})

test('loadAdapter: names every field of the task that is not valid', (t) => {
  const task = `
params:
  - { name: 1st, source: event.id, type: text }
  - { name: both, source: { expression: "1", file: { path: /x } } }
preconditions:
  - { name: none }
  - { name: odd, conditions: [{ field: a, operator: matches, value: b }, { field: a, operator: in, value: b }, { field: a, operator: equals }] }
resources:
  - { name: Work, transport: { client: ssh }, manifest: { ref: missing.yaml } }
  - { name: work, manifest: {}, discovery: {}, lifecycle: { delete: { when: {} } } }
post:
  payloads: [{ name: p }]
  post_actions: [{ name: a, api_call: { method: HEAD } }]
`
  const found = problems(() => load(t, CONFIG, task))
  const expected = [
    /^params\[0\]\.name: Invalid value: "1st": must match/,
    /^params\[0\]\.type: Unsupported value: "text": supported values: "string", "int"/,
    /^params\[1\]\.source: Invalid value: .*must have one of api_call, expression, file/,
    /^preconditions\[0\]: Required value: set expression or conditions/,
    /^preconditions\[1\]\.conditions\[0\]\.operator: Unsupported value: "matches"/,
    /^preconditions\[1\]\.conditions\[1\]\.value: Invalid value: "b": must be a list/,
    /^preconditions\[1\]\.conditions\[2\]\.value: Required value/,
    /^resources\[0\]\.name: Invalid value: "Work"/,
    /^resources\[0\]\.transport\.client: Unsupported value: "ssh": supported values: "maestro", "kubernetes"/,
    /^resources\[0\]\.transport\.maestro\.target_cluster: Required value/,
    /^resources\[0\]\.manifest\.ref: Invalid value: "missing\.yaml": ENOENT/,
    /^resources\[1\]\.discovery: Invalid value: .*must have one of by_name, by_selectors\.label_selector/,
    /^resources\[1\]\.lifecycle\.delete\.when\.expression: Required value/,
    /^resources\[1\]\.transport\.maestro\.target_cluster: Required value/,
    /^post\.payloads\[0\]: Invalid value: .*must have one of build, build_ref/,
    /^post\.post_actions\[0\]\.api_call\.method: Unsupported value: "HEAD"/,
    /^post\.post_actions\[0\]\.api_call\.url: Required value/,
  ]
  for (const pattern of expected)
    assert.ok(
      found.some((line) => pattern.test(line)),
      `${pattern}\n${found.join('\n')}`,
    )
  assert.equal(found.length, expected.length, found.join('\n'))
})

const WITHOUT_MAESTRO = CONFIG.replace(/ {2}maestro: .*\n/, '  kubernetes: { kube_config_path: /k, qps: 0.5 }\n')

test('loadAdapter: without Maestro, resources go to the Kubernetes API', (t) => {
  const task = `
params: [{ name: kind, source: event.kind }, { name: a, source: event.a }]
resources:
  - { name: inline, manifest: { apiVersion: v1, kind: "{{ .kind }}" }, recreate_on_change: true }
  - name: text
    transport: { client: kubernetes }
    manifest: |
      apiVersion: 'apps/v1'
      kind: Deployment # of the API
      {{ if .a }}spec: {}{{ end }}
    discovery: { by_name: a, namespace: b }
    lifecycle: { delete: { when: { expression: "true" }, propagationPolicy: Foreground } }
`
  const environment = { HYPERFLEET_KUBERNETES_BURST: '3' }
  const { config, task: loaded } = load(t, WITHOUT_MAESTRO, task, { environment })
  assert.equal(config.maestro, undefined)
  assert.deepEqual(config.kubernetes, { kubeConfigPath: '/k', qps: 0.5, burst: 3 })
  assert.deepEqual(
    loaded.resources.map(({ transport, recreateOnChange, propagationPolicy }) => ({
      ...transport,
      recreateOnChange,
      propagationPolicy,
    })),
    [
      {
        client: 'kubernetes',
        apiVersion: 'v1',
        kind: '{{ .kind }}',
        recreateOnChange: true,
        propagationPolicy: 'Background',
      },
      {
        client: 'kubernetes',
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        recreateOnChange: false,
        propagationPolicy: 'Foreground',
      },
    ],
  )
})

test('loadAdapter: names the fields of a transport that is not valid', (t) => {
  const task = `
resources:
  - { name: noMaestro, transport: { maestro: { target_cluster: a } }, manifest: { kind: ManifestWork } }
  - { name: both, transport: { client: kubernetes, maestro: { target_cluster: a } }, manifest: { apiVersion: v1, kind: Secret } }
  - { name: untyped, manifest: { metadata: { name: a } } }
  - { name: untypedText, manifest: "  kind: Indented" }
`
  assert.deepEqual(
    problems(() => load(t, WITHOUT_MAESTRO, task)),
    [
      'resources[0].transport.client: Invalid value: "maestro": set clients.maestro in the adapter config',
      'resources[1].transport.maestro: Forbidden: remove it, or set transport.client to maestro',
      'resources[2].manifest.apiVersion: Required value',
      'resources[2].manifest.kind: Required value',
      'resources[3].manifest.apiVersion: Required value: set it in a line that begins with it',
      'resources[3].manifest.kind: Required value: set it in a line that begins with it',
    ],
  )
  const config = WITHOUT_MAESTRO.replace('qps: 0.5', 'qps: 0, burst: many, context: c')
  assert.deepEqual(
    problems(() => load(t, config, '{}')),
    [
      'clients.kubernetes.qps: Invalid value: 0: must be a number greater than 0',
      'clients.kubernetes.burst: Invalid value: "many": must be a whole number of at least 1',
      'clients.kubernetes.context: Invalid value: "context": unknown field',
    ],
  )
})

test('loadAdapter: compiles expressions and templates', (t) => {
  const task = `
params: [{ name: id, source: event.id }, { name: ok, source: { expression: "id + unknown" } }]
preconditions: [{ name: p, expression: "id ==" }]
post:
  payloads:
    - { name: status, build_ref: payload.yaml }
    - { name: other, build: { a: { expression: "nope" }, b: "{{ shout .id }}", c: "{{ if .id }}{{ .idd }}{{ end }}" } }
    - { name: list, build: { a: "{{ range .event.items }}{{ .name }} of {{ $.ids }}{{ else }}{{ .env.HOME }}{{ end }}" } }
  post_actions: [{ name: put, api_call: { method: PUT, url: "/x/{{ .id", body: "{{ .status }}" } }]
`
  const text = problems(() => load(t, CONFIG, task)).join('\n')
  assert.match(
    text,
    /params\[1\]\.source\.expression: Invalid value: "id \+ unknown": .*undeclared reference to 'unknown'/,
  )
  assert.match(text, /preconditions\[0\]\.expression: Invalid value: "id ==": .*Syntax error/)
  assert.match(text, /post\.payloads\[1\]\.build\.a\.expression: Invalid value: "nope"/)
  assert.match(text, /post\.payloads\[1\]\.build\.b: Invalid value: .*function "shout" is not defined/)
  const known = 'adapter, config, env, event, id, ok, p, status, other, list'
  assert.match(text, new RegExp(`post\\.payloads\\[1\\]\\.build\\.c: .*: \\.idd is not defined: use ${known}`))
  assert.match(text, /post\.payloads\[2\]\.build\.a: .*: \.ids is not defined/)
  assert.match(text, /post\.post_actions\[0\]\.api_call\.url: Invalid value: .*unclosed action/)
})

test('loadAdapter: reports missing and unreadable files and bad values of flags', (t) => {
  assert.throws(() => loadAdapter({ environment: {} }), {
    message: 'the adapter config is not set: use --config FILE or set HYPERFLEET_ADAPTER_CONFIG',
    code: 'hyperfleet-adapter-11',
  })
  assert.throws(
    () => loadAdapter({ configFile: '/missing.yaml', taskFile: '/x' }),
    /cannot read \/missing\.yaml: ENOENT/,
  )
  assert.throws(() => load(t, '[]', '{}'), /config\.yaml is not valid: it must contain one object/)
  assert.throws(() => load(t, CONFIG, '{}', { flags: { 'hyperfleet-api-retry': 'many' } }), {
    message: '--hyperfleet-api-retry is not valid: "many": use a whole number',
  })
})

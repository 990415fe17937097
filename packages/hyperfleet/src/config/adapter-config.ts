import type { JsonObject } from '@orrery/kinds'
import { fieldInvalid, fieldRequired } from '@orrery/kinds/values'
import type { RetryBackoff } from '../retry.js'
import { Reader, throwErrors } from './reader.js'

export interface HyperFleetApiConfig {
  readonly baseUrl: string
  /** Default `v1`. */
  readonly version: string
  readonly timeoutMilliseconds: number
  readonly retryAttempts: number
  readonly retryBackoff: RetryBackoff
  readonly baseDelayMilliseconds: number
  readonly maxDelayMilliseconds: number
  readonly defaultHeaders: Readonly<Record<string, string>>
  readonly tokenPath: string | undefined
  readonly tokenCacheTtlMilliseconds: number
}

export interface MaestroConfig {
  readonly grpcServerAddress: string
  readonly httpServerAddress: string
  readonly sourceId: string
  readonly caFile: string | undefined
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
  readonly httpCaFile: string | undefined
  readonly tokenFile: string | undefined
  readonly timeoutMilliseconds: number
  readonly retryAttempts: number
  readonly insecure: boolean
}

/** The Kubernetes API of resources with `transport.client: kubernetes`. */
export interface KubernetesConfig {
  /** Default: the service account of the pod. */
  readonly kubeConfigPath: string | undefined
  readonly qps: number
  readonly burst: number
}

/** How an adapter is deployed: its name and the addresses of its servers. */
export interface AdapterConfig {
  readonly adapter: { readonly name: string; readonly version: string }
  readonly log: { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly format: 'json' | 'text' }
  readonly debugConfig: boolean
  readonly api: HyperFleetApiConfig
  /** Absent if all resources go to the Kubernetes API. */
  readonly maestro: MaestroConfig | undefined
  readonly kubernetes: KubernetesConfig
  /** The whole configuration as written, for `config.…` parameters. */
  readonly raw: JsonObject
}

export const BACKOFFS = ['exponential', 'linear', 'constant'] as const

/** Checks a configuration in which flags and environment variables have replaced values of the file. */
export function parseAdapterConfig(raw: JsonObject, file: string): AdapterConfig {
  const reader = new Reader(raw)
  const adapter = reader.object('adapter')
  if (adapter === undefined) reader.errors.push(fieldRequired('adapter.name', 'set it to the name of the adapter'))
  const log = reader.object('log')
  const clients = reader.object('clients') ?? new Reader({}, 'clients', reader.errors)
  const config: AdapterConfig = {
    adapter: { name: adapter?.requiredString('name') ?? '', version: adapter?.string('version') ?? '' },
    debugConfig: reader.boolean('debug_config'),
    log: {
      level: levelOf(log?.choice('level', ['debug', 'info', 'warn', 'warning', 'error'])),
      format: log?.choice('format', ['json', 'text']) ?? 'json',
    },
    api: parseApi(clients),
    maestro: clients.has('maestro') ? parseMaestro(clients) : undefined,
    kubernetes: parseKubernetes(clients),
    raw,
  }
  // Accepted for configurations that are shared with other adapters: brokers and output.
  log?.value('output')
  clients.value('broker')
  for (const one of [adapter, log, clients, reader]) one?.end()
  throwErrors(file, reader.errors)
  return config
}

const levelOf = (level: 'debug' | 'info' | 'warn' | 'warning' | 'error' | undefined) =>
  level === 'warning' ? 'warn' : (level ?? 'info')

function parseApi(clients: Reader): HyperFleetApiConfig {
  const api = clients.object('hyperfleet_api') ?? new Reader({}, clients.at('hyperfleet_api'), clients.errors)
  const auth = api.object('auth')
  const config = {
    baseUrl: urlIn(
      api,
      'base_url',
      'set it to the address of the HyperFleet API, such as "http://hyperfleet-api:8000"',
    ),
    version: api.string('version') ?? 'v1',
    timeoutMilliseconds: api.duration('timeout') ?? 10_000,
    retryAttempts: api.count('retry_attempts') ?? 3,
    retryBackoff: api.choice('retry_backoff', BACKOFFS) ?? 'exponential',
    baseDelayMilliseconds: api.duration('base_delay') ?? 1_000,
    maxDelayMilliseconds: api.duration('max_delay') ?? 30_000,
    defaultHeaders: api.strings('default_headers'),
    tokenPath: auth?.string('token_path'),
    tokenCacheTtlMilliseconds: auth?.duration('token_cache_ttl') ?? 60_000,
  }
  auth?.end()
  api.end()
  return config
}

function urlIn(reader: Reader, key: string, detail: string): string {
  const url = reader.requiredString(key, detail)
  if (url !== '' && !/^https?:\/\/./.test(url)) {
    reader.errors.push(fieldInvalid(reader.at(key), url, 'must begin with http:// or https://'))
  }
  return url
}

function parseMaestro(clients: Reader): MaestroConfig {
  const maestro = clients.object('maestro') ?? new Reader({}, clients.at('maestro'), clients.errors)
  const auth = maestro.object('auth')
  const tls = auth?.object('tls_config')
  auth?.choice('type', ['tls', 'none', 'token'])
  const config = {
    grpcServerAddress: maestro.requiredString('grpc_server_address', 'set it to host:port of Maestro'),
    httpServerAddress: urlIn(maestro, 'http_server_address', 'set it to the address of the REST API of Maestro'),
    sourceId: maestro.requiredString('source_id', 'set it to a name that no other adapter uses'),
    caFile: tls?.string('ca_file'),
    certFile: tls?.string('cert_file'),
    keyFile: tls?.string('key_file'),
    httpCaFile: tls?.string('http_ca_file'),
    tokenFile: auth?.string('token_file'),
    timeoutMilliseconds: maestro.duration('timeout') ?? 10_000,
    retryAttempts: maestro.count('retry_attempts') ?? 3,
    insecure: maestro.boolean('insecure'),
  }
  // Set by the transport itself.
  for (const key of ['client_id', 'keepalive', 'server_healthiness_timeout']) maestro.value(key)
  tls?.value('server_name')
  if ((config.certFile === undefined) !== (config.keyFile === undefined)) {
    const missing = config.certFile === undefined ? 'cert_file' : 'key_file'
    maestro.errors.push(fieldRequired(tls?.at(missing) ?? missing, 'a certificate and its key are used together'))
  }
  if (!config.insecure && config.httpServerAddress.startsWith('http:')) {
    const detail = 'must begin with https://, or set clients.maestro.insecure to true'
    maestro.errors.push(fieldInvalid(maestro.at('http_server_address'), config.httpServerAddress, detail))
  }
  for (const one of [tls, auth, maestro]) one?.end()
  return config
}

function parseKubernetes(clients: Reader): KubernetesConfig {
  const kubernetes = clients.object('kubernetes')
  const config = {
    kubeConfigPath: kubernetes?.string('kube_config_path') || undefined,
    qps: kubernetes?.positive('qps') ?? 100,
    burst: kubernetes?.count('burst') ?? 200,
  }
  // The manifest of a resource has the version.
  kubernetes?.value('api_version')
  kubernetes?.end()
  return config
}

/** The configuration for templates, without the paths of credentials. */
export function redacted(raw: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(raw), (key, value: unknown) =>
    /_file$|^token_path$|^kube_config_path$/.test(key) && typeof value === 'string' && value !== ''
      ? '**REDACTED**'
      : value,
  ) as JsonObject
}

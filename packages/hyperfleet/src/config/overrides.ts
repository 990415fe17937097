import type { JsonObject, JsonValue } from '@orrery/kinds'
import { cloneJson, isObject, setOwn } from '@orrery/kinds/values'
import { AdapterError } from '../adapter-error.js'

type ValueType = 'string' | 'number' | 'boolean'

interface Setting {
  readonly path: string
  readonly flag: string
  readonly variable: string
  readonly type: ValueType
}

const setting = (path: string, flag: string, variable: string, type: ValueType = 'string'): Setting => ({
  path,
  flag,
  variable,
  type,
})

const maestro = (path: string, name: string, type?: ValueType) =>
  setting(`clients.maestro.${path}`, `maestro-${name}`, `HYPERFLEET_MAESTRO_${upper(name)}`, type)
const api = (path: string, flag: string, variable: string, type?: ValueType) =>
  setting(`clients.hyperfleet_api.${path}`, `hyperfleet-api-${flag}`, `HYPERFLEET_API_${variable}`, type)
const kubernetes = (path: string, flag: string, type?: ValueType) =>
  setting(`clients.kubernetes.${path}`, `kubernetes-${flag}`, `HYPERFLEET_KUBERNETES_${upper(flag)}`, type)
const upper = (name: string) => name.replaceAll('-', '_').toUpperCase()

/** Every setting that a flag and an environment variable can replace. */
const SETTINGS: readonly Setting[] = [
  setting('debug_config', 'debug-config', 'HYPERFLEET_DEBUG_CONFIG', 'boolean'),
  setting('log.level', 'log-level', 'LOG_LEVEL'),
  setting('log.format', 'log-format', 'LOG_FORMAT'),
  setting('log.output', 'log-output', 'LOG_OUTPUT'),
  maestro('grpc_server_address', 'grpc-server-address'),
  maestro('http_server_address', 'http-server-address'),
  maestro('source_id', 'source-id'),
  maestro('client_id', 'client-id'),
  maestro('auth.type', 'auth-type'),
  maestro('auth.token_file', 'token-file'),
  maestro('auth.tls_config.ca_file', 'ca-file'),
  maestro('auth.tls_config.cert_file', 'cert-file'),
  maestro('auth.tls_config.key_file', 'key-file'),
  maestro('auth.tls_config.http_ca_file', 'http-ca-file'),
  maestro('timeout', 'timeout'),
  maestro('server_healthiness_timeout', 'server-healthiness-timeout'),
  maestro('retry_attempts', 'retry-attempts', 'number'),
  maestro('keepalive.time', 'keepalive-time'),
  maestro('keepalive.timeout', 'keepalive-timeout'),
  maestro('insecure', 'insecure', 'boolean'),
  api('base_url', 'base-url', 'BASE_URL'),
  api('version', 'version', 'VERSION'),
  api('timeout', 'timeout', 'TIMEOUT'),
  api('retry_attempts', 'retry', 'RETRY_ATTEMPTS', 'number'),
  api('retry_backoff', 'retry-backoff', 'RETRY_BACKOFF'),
  api('base_delay', 'base-delay', 'BASE_DELAY'),
  api('max_delay', 'max-delay', 'MAX_DELAY'),
  api('auth.token_path', 'auth-token-path', 'AUTH_TOKEN_PATH'),
  api('auth.token_cache_ttl', 'auth-token-cache-ttl', 'AUTH_TOKEN_CACHE_TTL'),
  kubernetes('api_version', 'api-version'),
  kubernetes('kube_config_path', 'kube-config-path'),
  kubernetes('qps', 'qps', 'number'),
  kubernetes('burst', 'burst', 'number'),
  setting('clients.broker.subscription_id', 'broker-subscription-id', 'HYPERFLEET_BROKER_SUBSCRIPTION_ID'),
  setting('clients.broker.topic', 'broker-topic', 'HYPERFLEET_BROKER_TOPIC'),
]

/** The flags that replace settings, without the dashes. */
export const SETTING_FLAGS: readonly string[] = SETTINGS.map(({ flag }) => flag)

/** The file's values, replaced by environment variables, replaced by flags. */
export function withOverrides(
  file: JsonObject,
  environment: Readonly<Record<string, string | undefined>>,
  flags: Readonly<Record<string, string>>,
): JsonObject {
  const result = cloneJson(file)
  for (const { path, flag, variable, type } of SETTINGS) {
    const fromFlag = flags[flag]
    const text = fromFlag ?? environment[variable]
    if (text === undefined || text === '') continue
    const source = fromFlag === undefined ? variable : `--${flag}`
    const value = path.startsWith('log.') ? text.toLowerCase() : text
    setAt(result, path.split('.'), converted(value, type, source))
  }
  return result
}

function converted(text: string, type: ValueType, source: string): JsonValue {
  if (type === 'string') return text
  if (type === 'number' && /^\d+$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  const expected = type === 'number' ? 'a whole number' : 'true or false'
  throw new AdapterError('Configuration', `${source} is not valid: ${JSON.stringify(text)}: use ${expected}`)
}

function setAt(object: JsonObject, [key = '', ...rest]: readonly string[], value: JsonValue): void {
  if (rest.length === 0) {
    setOwn(object, key, value)
    return
  }
  const inner = object[key]
  const next = isObject(inner) ? inner : {}
  setOwn(object, key, next)
  setAt(next, rest, value)
}

import { hostname } from 'node:os'
import type { JsonObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { parse } from 'yaml'
import { ConfigError, DEFAULTS, type OvimAgentConfig } from './config.js'
import { parseSetting } from './parse-setting.js'
import { CHECKED_VARIABLES, SETTINGS, type Setting } from './settings.js'

export interface ConfigSources {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The text of a configuration file in YAML, and its name for messages. */
  readonly file?: { readonly name: string; readonly text: string }
  /** Values that ConfigUpdate operations have set, by key. */
  readonly updates?: Readonly<Record<string, unknown>>
  /** The version of the program. */
  readonly version?: string
}

/**
 * The configuration of an agent. A ConfigUpdate takes precedence over the environment, that over the file, and that over
 * the defaults. Throws a `ConfigError` that names every problem.
 */
export function loadAgentConfig(sources: ConfigSources): OvimAgentConfig {
  const problems: string[] = []
  const values = new Map<string, string | number | boolean>()
  const set = (setting: Setting, name: string, value: unknown) => {
    try {
      values.set(setting.key, parseSetting(setting, value))
    } catch (error) {
      const shown = setting.key === 'hub.token' ? '' : ` ${JSON.stringify(value)}`
      problems.push(`${name}:${shown} ${(error as Error).message}`)
    }
  }
  if (sources.file !== undefined) readFile(sources.file, problems, set)
  readEnvironment(sources.environment, problems, set)
  for (const [key, value] of Object.entries(sources.updates ?? {})) {
    const setting = SETTINGS.find((candidate) => candidate.key === key && candidate.live === true)
    // Settings of an older version may be gone.
    if (setting !== undefined) set(setting, `ConfigUpdate ${key}`, value)
  }
  const config = withIdentity(configOf(values), sources)
  problems.push(...missing(config), ...contradictions(config))
  if (problems.length > 0) throw new ConfigError(problems)
  return config
}

type SetValue = (setting: Setting, name: string, value: unknown) => void

function readEnvironment(environment: ConfigSources['environment'], problems: string[], set: SetValue): void {
  for (const setting of SETTINGS) {
    const name = setting.variables.find((variable) => (environment[variable] ?? '') !== '')
    if (name !== undefined) set(setting, name, environment[name])
  }
  const protocol = environment[CHECKED_VARIABLES.protocol] ?? ''
  if (protocol !== '' && protocol !== 'https' && protocol !== 'http') {
    problems.push(`${CHECKED_VARIABLES.protocol}: ${JSON.stringify(protocol)} must be https or http`)
  }
  const endpoint = environment.OVIM_HUB_ENDPOINT ?? ''
  if (protocol === 'https' && endpoint.startsWith('http:')) {
    problems.push(`${CHECKED_VARIABLES.protocol}: https does not fit OVIM_HUB_ENDPOINT ${JSON.stringify(endpoint)}`)
  }
  if (/^(false|0)$/i.test(environment[CHECKED_VARIABLES.tls] ?? '') && endpoint.startsWith('https:')) {
    problems.push(`${CHECKED_VARIABLES.tls}: false does not fit OVIM_HUB_ENDPOINT ${JSON.stringify(endpoint)}`)
  }
}

function readFile(file: { name: string; text: string }, problems: string[], set: SetValue): void {
  let content: unknown
  try {
    content = parse(file.text) ?? {}
  } catch (error) {
    problems.push(`${file.name}: is not YAML: ${(error as Error).message}`)
    return
  }
  if (!isObject(content)) {
    problems.push(`${file.name}: must be a mapping with the keys of the documentation, such as "hub"`)
    return
  }
  for (const [key, value] of Object.entries(flattened(content as JsonObject))) {
    const setting = SETTINGS.find((candidate) => candidate.key === key)
    if (setting === undefined) problems.push(`${file.name}: ${key}: unknown setting`)
    else set(setting, `${file.name}: ${key}`, value)
  }
}

/** `{hub: {endpoint: …}}` as `{'hub.endpoint': …}`. */
export function flattened(object: JsonObject): Record<string, unknown> {
  const entries = Object.entries(object).flatMap(([key, value]): [string, unknown][] => {
    if (!isObject(value)) return [[key, value]]
    return Object.entries(value).map(([inner, innerValue]) => [`${key}.${inner}`, innerValue])
  })
  return Object.fromEntries(entries)
}

/** The defaults with the values of some settings. */
function configOf(values: ReadonlyMap<string, string | number | boolean>): OvimAgentConfig {
  const config = structuredClone(DEFAULTS) as unknown as Record<string, unknown>
  for (const [key, value] of values) {
    const setting = SETTINGS.find((candidate) => candidate.key === key)
    const [group = '', name] = key.split('.')
    const target = name === undefined ? config : (config[group] as Record<string, unknown>)
    target[memberName(name ?? group, setting)] = value
  }
  return config as unknown as OvimAgentConfig
}

function memberName(name: string, setting: Setting | undefined): string {
  const camel = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  return setting?.type === 'duration' || setting?.type === 'delay' ? `${camel}Ms` : camel
}

function withIdentity(config: OvimAgentConfig, { environment, version }: ConfigSources): OvimAgentConfig {
  const host = environment.HOSTNAME ?? hostname()
  return {
    ...config,
    agentId: config.agentId || `ovim-spoke-${host}`,
    zoneId: config.zoneId || config.clusterId,
    version: config.version || version || 'unknown',
  }
}

function missing(config: OvimAgentConfig): string[] {
  const { clusterId, hub } = config
  const problems: string[] = []
  if (clusterId === '') problems.push('OVIM_CLUSTER_ID: required: set it to the name of this cluster')
  if (hub.endpoint === '') problems.push('OVIM_HUB_ENDPOINT: required: set it to the URL of the hub')
  if (hub.token === '' && hub.tokenFile === '' && hub.certPath === '') {
    problems.push('OVIM_HUB_TOKEN: required: set it, or OVIM_HUB_TOKEN_FILE, or a certificate with OVIM_HUB_CERT_PATH')
  }
  return problems
}

function contradictions({ hub, retry }: OvimAgentConfig): string[] {
  const problems: string[] = []
  if ((hub.certPath === '') !== (hub.keyPath === '')) {
    problems.push('OVIM_HUB_CERT_PATH, OVIM_HUB_KEY_PATH: set both or none')
  }
  if (retry.initialDelayMs > retry.maxDelayMs) {
    problems.push('OVIM_RETRY_INITIAL_DELAY: must not be longer than OVIM_RETRY_MAX_DELAY')
  }
  return problems
}

import type { JsonObject } from '@orrery/kinds'
import { ConfigError, type OvimAgentConfig } from './config.js'
import { type ConfigSources, flattened, loadAgentConfig } from './load.js'
import { SETTINGS } from './settings.js'

/** The configuration of a running agent. ConfigUpdate operations change its live settings. */
export class LiveConfig {
  readonly #sources: ConfigSources
  readonly #subscribers = new Set<(config: OvimAgentConfig) => void>()
  #updates: Readonly<Record<string, unknown>>
  #current: OvimAgentConfig

  /** Throws a `ConfigError`. */
  constructor(sources: ConfigSources) {
    this.#sources = sources
    this.#updates = sources.updates ?? {}
    this.#current = loadAgentConfig(sources)
  }

  get current(): OvimAgentConfig {
    return this.#current
  }

  /** What ConfigUpdate operations have set, by key. */
  get updates(): Readonly<Record<string, unknown>> {
    return this.#updates
  }

  subscribe(onChange: (config: OvimAgentConfig) => void): () => void {
    this.#subscribers.add(onChange)
    return () => {
      this.#subscribers.delete(onChange)
    }
  }

  /**
   * Sets live settings, written like the file; null removes an earlier update. All of it is applied or, with a
   * `ConfigError`, nothing. Returns the keys.
   */
  update(changes: JsonObject): string[] {
    const flat = flattened(changes)
    const keys = Object.keys(flat)
    const problems = keys.flatMap((key) => {
      const setting = SETTINGS.find((candidate) => candidate.key === key)
      if (setting === undefined) return [`${key}: unknown setting`]
      return setting.live === true ? [] : [`${key}: needs a restart: set ${setting.variables[0]} and restart the agent`]
    })
    if (keys.length === 0) problems.push('payload: has no settings')
    if (problems.length > 0) throw new ConfigError(problems)
    const merged = Object.fromEntries(
      Object.entries({ ...this.#updates, ...flat }).filter(([, value]) => value !== null),
    )
    this.replace(merged)
    return keys
  }

  /** Replaces all updates, for example with those of an earlier run. Throws a `ConfigError`, and then changes nothing. */
  replace(updates: Readonly<Record<string, unknown>>): void {
    this.#current = loadAgentConfig({ ...this.#sources, updates })
    this.#updates = updates
    for (const subscriber of this.#subscribers) subscriber(this.#current)
  }
}

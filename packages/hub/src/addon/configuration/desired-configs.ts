import { type AddOnConfig, type ConfigSpecHash, NO_DEFAULT_CONFIG } from '@orrery/api'

/** A type of configuration. */
export interface ConfigType {
  readonly group: string
  readonly resource: string
}

/** A configuration that an add-on should have. */
export interface DesiredConfig extends ConfigType {
  readonly desiredConfig: ConfigSpecHash
}

/** The configurations that an add-on should have, by `typeKey`. */
export type DesiredConfigs = ReadonlyMap<string, readonly DesiredConfig[]>

/** A reference to a configuration in a status, with its hash. */
interface ConfigState extends ConfigType {
  readonly desiredConfig?: ConfigSpecHash
}

/** `{resource}.{group}`, or the resource if it is in the core group. */
export function typeKey({ group, resource }: ConfigType): string {
  return group === '' ? resource : `${resource}.${group}`
}

function identityOf(type: ConfigType, { namespace = '', name }: ConfigSpecHash): string {
  return JSON.stringify([typeKey(type), namespace, name])
}

/** References by their configuration. They are looked up, because a user can give an add-on very many. */
export class ConfigIndex<T extends ConfigState> {
  readonly #byIdentity = new Map<string, T>()

  constructor(references: Iterable<T> = []) {
    for (const reference of references) this.add(reference)
  }

  /** Returns false if there is a reference to the same configuration: then the first one stays. */
  add(reference: T): boolean {
    if (reference.desiredConfig === undefined) return false
    const identity = identityOf(reference, reference.desiredConfig)
    if (this.#byIdentity.has(identity)) return false
    this.#byIdentity.set(identity, reference)
    return true
  }

  find(type: ConfigType, config: ConfigSpecHash | undefined): T | undefined {
    return config && this.#byIdentity.get(identityOf(type, config))
  }
}

/** Whether two references are to the same object. */
function isSameConfig(a: ConfigSpecHash | undefined, b: ConfigSpecHash): boolean {
  return a !== undefined && a.name === b.name && (a.namespace ?? '') === (b.namespace ?? '')
}

/** Whether two references are to the same object with the same contents. */
export function isSameVersion(a: ConfigSpecHash | undefined, b: ConfigSpecHash): boolean {
  return isSameConfig(a, b) && (a?.specHash ?? '') === (b.specHash ?? '')
}

/** Configurations without those that stand for a missing default. */
export function existing(configs: readonly AddOnConfig[] | undefined): AddOnConfig[] {
  return (configs ?? []).filter(({ name }) => name !== '' && name !== NO_DEFAULT_CONFIG)
}

/** A configuration that should be used, with its hash if the status has it already. */
export function desired(config: AddOnConfig, known?: ConfigIndex<ConfigState>): DesiredConfig {
  const { group, resource, namespace, name } = config
  const wanted = { ...(namespace !== undefined && { namespace }), name }
  const specHash = known?.find(config, wanted)?.desiredConfig?.specHash ?? ''
  return { group, resource, desiredConfig: { ...wanted, specHash } }
}

/** Replaces the configurations of all types that the others have. A repeated one counts once. */
export function overridden(configs: DesiredConfigs, others: readonly DesiredConfig[]): DesiredConfigs {
  if (others.length === 0) return configs
  const replaced = new Map<string, DesiredConfig[]>()
  const index = new ConfigIndex<DesiredConfig>()
  for (const config of others) {
    if (!index.add(config)) continue
    const key = typeKey(config)
    const same = replaced.get(key)
    if (same === undefined) replaced.set(key, [config])
    else same.push(config)
  }
  return new Map([...configs, ...replaced])
}

/** All configurations, in the order of their types. */
export function inOrder<T extends ConfigType>(configs: Iterable<readonly T[]>): T[] {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return [...configs].flat().sort((a, b) => order(a.group, b.group) || order(a.resource, b.resource))
}

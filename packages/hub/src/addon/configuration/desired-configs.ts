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

/** Whether two references are to the same object. */
export function isSameConfig(a: ConfigSpecHash | undefined, b: ConfigSpecHash): boolean {
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
export function desired(config: AddOnConfig, known: readonly ConfigState[] | undefined): DesiredConfig {
  const { group, resource, namespace, name } = config
  const wanted = { ...(namespace !== undefined && { namespace }), name }
  const key = typeKey(config)
  const same = known?.find((one) => typeKey(one) === key && isSameConfig(one.desiredConfig, wanted))
  const specHash = same?.desiredConfig?.specHash ?? ''
  return { group, resource, desiredConfig: { ...wanted, specHash } }
}

/** Replaces the configurations of all types that the others have. A repeated one counts once. */
export function overridden(configs: DesiredConfigs, others: readonly DesiredConfig[]): DesiredConfigs {
  if (others.length === 0) return configs
  const result = new Map(configs)
  const replaced = new Set<string>()
  for (const config of others) {
    const key = typeKey(config)
    const before = replaced.has(key) ? (result.get(key) ?? []) : []
    const isRepeated = before.some(({ desiredConfig }) => isSameConfig(desiredConfig, config.desiredConfig))
    result.set(key, isRepeated ? before : [...before, config])
    replaced.add(key)
  }
  return result
}

/** All configurations, in the order of their types. */
export function inOrder<T extends ConfigType>(configs: Iterable<readonly T[]>): T[] {
  const order = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return [...configs].flat().sort((a, b) => order(a.group, b.group) || order(a.resource, b.resource))
}

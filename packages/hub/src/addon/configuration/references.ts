import type { ConfigReference, ManagedClusterAddOn } from '@orrery/api'
import { ConfigIndex, type DesiredConfigs, desired, inOrder, overridden, typeKey } from './desired-configs.js'

/** The configurations that an add-on of a cluster should have: its own, then those of its placement or its definition. */
export function desiredOn({ spec, status }: ManagedClusterAddOn, inherited: DesiredConfigs): DesiredConfigs {
  const own = spec?.configs ?? []
  if (own.length === 0) return inherited
  const known = new ConfigIndex(status?.configReferences)
  return overridden(
    inherited,
    own.map((config) => desired(config, known)),
  )
}

/** `status.configReferences` with the desired configurations. Those that stay keep their state and their order. */
export function mergedReferences(
  known: readonly ConfigReference[] | undefined,
  desiredConfigs: DesiredConfigs,
): ConfigReference[] {
  const merged = [...desiredConfigs.entries()].map(([key, configs]) => {
    const wanted = new ConfigIndex(configs)
    const before = (known ?? []).filter((reference) => typeKey(reference) === key)
    const kept = before.flatMap((reference) => {
      const config = wanted.find(reference, reference.desiredConfig)
      return config === undefined ? [] : [{ ...reference, desiredConfig: config.desiredConfig }]
    })
    const keptIndex = new ConfigIndex(kept)
    const added = configs.filter((config) => keptIndex.find(config, config.desiredConfig) === undefined)
    return [...kept, ...added]
  })
  return inOrder<ConfigReference>(merged)
}

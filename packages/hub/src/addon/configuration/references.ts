import type { ConfigReference, ManagedClusterAddOn } from '@orrery/api'
import { type DesiredConfigs, desired, inOrder, isSameConfig, overridden, typeKey } from './desired-configs.js'

/** The configurations that an add-on of a cluster should have: its own, then those of its placement or its definition. */
export function desiredOn({ spec, status }: ManagedClusterAddOn, inherited: DesiredConfigs): DesiredConfigs {
  const own = spec?.configs ?? []
  if (own.length === 0) return inherited
  return overridden(
    inherited,
    own.map((config) => desired(config, status?.configReferences)),
  )
}

/** `status.configReferences` with the desired configurations. Those that stay keep their state and their order. */
export function mergedReferences(
  known: readonly ConfigReference[] | undefined,
  desiredConfigs: DesiredConfigs,
): ConfigReference[] {
  const merged = [...desiredConfigs.entries()].map(([key, configs]) => {
    const before = (known ?? []).filter((reference) => typeKey(reference) === key)
    const kept = before.flatMap((reference) => {
      const config = configs.find((one) => isSameConfig(reference.desiredConfig, one.desiredConfig))
      return config === undefined ? [] : [{ ...reference, desiredConfig: config.desiredConfig }]
    })
    const added = configs.filter(
      (config) => !kept.some((reference) => isSameConfig(reference.desiredConfig, config.desiredConfig)),
    )
    return [...kept, ...added]
  })
  return inOrder<ConfigReference>(merged)
}

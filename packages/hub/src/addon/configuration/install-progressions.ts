import type { ClusterManagementAddOn, ClusterManagementAddOnStatus, InstallProgression } from '@orrery/api'
import { isInstalledByPlacement, isManagedByHub } from '../addon-informers.js'
import { ConfigIndex, type DesiredConfig, desired, existing, inOrder, overridden } from './desired-configs.js'

type Reference = NonNullable<InstallProgression['configReferences']>[number]

/**
 * The status of a definition: the configurations that it refers to, with the hashes that are known. The conditions and the applied
 * configurations of a placement stay as long as its configurations are the same objects.
 */
export function referencesStatus(definition: ClusterManagementAddOn): ClusterManagementAddOnStatus {
  const { spec, status } = definition
  const known = new ConfigIndex(status?.defaultConfigReferences)
  const defaultConfigReferences = existing(spec.defaultConfigs).map((config) => desired(config, known))
  if (!isInstalledByPlacement(definition)) return { ...status, defaultConfigReferences, installProgressions: [] }
  if (!isManagedByHub(definition)) return { ...status, defaultConfigReferences }
  return { ...status, defaultConfigReferences, installProgressions: installProgressions(definition) }
}

function installProgressions({ spec, status }: ClusterManagementAddOn): InstallProgression[] {
  const defaults = overridden(
    new Map(),
    existing(spec.defaultConfigs).map((config) => desired(config)),
  )
  return (spec.installStrategy.placements ?? []).map(({ namespace, name, configs = [] }) => {
    const ownConfigs = configs.map((config) => desired(config))
    const wanted = inOrder(overridden(defaults, ownConfigs).values())
    const before = status?.installProgressions?.find((one) => one.namespace === namespace && one.name === name)
    const known = new ConfigIndex(before?.configReferences)
    const isKept = before !== undefined && wanted.every((config) => stateOf(config, known) !== undefined)
    const configReferences = wanted.map((config) => (isKept ? withState(config, known) : config))
    return { namespace, name, configReferences, ...(isKept && before.conditions && { conditions: before.conditions }) }
  })
}

function stateOf({ desiredConfig, ...type }: DesiredConfig, known: ConfigIndex<Reference>): Reference | undefined {
  return known.find(type, desiredConfig)
}

function withState(config: DesiredConfig, known: ConfigIndex<Reference>): Reference {
  const state = stateOf(config, known)
  const specHash = state?.desiredConfig?.specHash ?? ''
  return { ...state, ...config, desiredConfig: { ...config.desiredConfig, specHash } }
}

import type { ClusterManagementAddOn, ClusterManagementAddOnStatus, InstallProgression } from '@orrery/api'
import { isInstalledByPlacement, isManagedByHub } from '../addon-informers.js'
import { type DesiredConfig, desired, existing, inOrder, isSameConfig, overridden, typeKey } from './desired-configs.js'

type References = NonNullable<InstallProgression['configReferences']>

/**
 * The status of a definition: the configurations that it refers to, with the hashes that are known. The conditions and the applied
 * configurations of a placement stay as long as its configurations are the same objects.
 */
export function referencesStatus(definition: ClusterManagementAddOn): ClusterManagementAddOnStatus {
  const { spec, status } = definition
  const known = status?.defaultConfigReferences
  const defaultConfigReferences = existing(spec.defaultConfigs).map((config) => desired(config, known))
  if (!isInstalledByPlacement(definition)) return { ...status, defaultConfigReferences, installProgressions: [] }
  if (!isManagedByHub(definition)) return { ...status, defaultConfigReferences }
  return { ...status, defaultConfigReferences, installProgressions: installProgressions(definition) }
}

function installProgressions({ spec, status }: ClusterManagementAddOn): InstallProgression[] {
  const defaults = overridden(
    new Map(),
    existing(spec.defaultConfigs).map((config) => desired(config, undefined)),
  )
  return (spec.installStrategy.placements ?? []).map(({ namespace, name, configs = [] }) => {
    const ownConfigs = configs.map((config) => desired(config, undefined))
    const wanted = inOrder(overridden(defaults, ownConfigs).values())
    const before = status?.installProgressions?.find((one) => one.namespace === namespace && one.name === name)
    const known = before?.configReferences ?? []
    const isKept = before !== undefined && wanted.every((config) => stateOf(config, known) !== undefined)
    const configReferences = wanted.map((config) => (isKept ? withState(config, known) : config))
    return { namespace, name, configReferences, ...(isKept && before.conditions && { conditions: before.conditions }) }
  })
}

function stateOf({ desiredConfig, ...type }: DesiredConfig, known: References): References[number] | undefined {
  const key = typeKey(type)
  return known.find((one) => typeKey(one) === key && isSameConfig(one.desiredConfig, desiredConfig))
}

function withState(config: DesiredConfig, known: References): References[number] {
  const state = stateOf(config, known)
  const specHash = state?.desiredConfig?.specHash ?? ''
  return { ...state, ...config, desiredConfig: { ...config.desiredConfig, specHash } }
}

import type { JsonObject, KubeObject } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { NO_DEFAULT_CONFIG } from '../names.js'
import { withField, withFieldNamed, withItems } from './fields.js'

/**
 * A ClusterManagementAddOn of v1alpha1 as v1beta1 has it, but for its `apiVersion`. What becomes of the fields:
 *
 * | v1alpha1                         | v1beta1                                                        |
 * |----------------------------------|----------------------------------------------------------------|
 * | spec.addOnConfiguration          | none: it is lost                                               |
 * | spec.supportedConfigs            | spec.defaultConfigs                                            |
 * | … without `defaultConfig`        | … with the name `__reserved_no_default__`                      |
 * | status.defaultconfigReferences   | status.defaultConfigReferences                                 |
 */
export function clusterManagementAddOnToV1Beta1(addOn: KubeObject): KubeObject {
  return withField(withField(addOn, 'spec', specToV1Beta1), 'status', (status) =>
    withFieldNamed(status, 'defaultconfigReferences', 'defaultConfigReferences'),
  )
}

/** The reverse of `clusterManagementAddOnToV1Beta1`. */
export function clusterManagementAddOnToV1Alpha1(addOn: KubeObject): KubeObject {
  return withField(withField(addOn, 'spec', specToV1Alpha1), 'status', (status) =>
    withFieldNamed(status, 'defaultConfigReferences', 'defaultconfigReferences'),
  )
}

function specToV1Beta1({ addOnConfiguration: _, ...spec }: JsonObject): JsonObject {
  return withItems(withFieldNamed(spec, 'supportedConfigs', 'defaultConfigs'), 'defaultConfigs', flatConfig)
}

function specToV1Alpha1(spec: JsonObject): JsonObject {
  return withItems(withFieldNamed(spec, 'defaultConfigs', 'supportedConfigs'), 'supportedConfigs', nestedConfig)
}

function flatConfig({ defaultConfig, ...type }: JsonObject): JsonObject {
  return { ...type, ...(isObject(defaultConfig) ? defaultConfig : { name: NO_DEFAULT_CONFIG }) }
}

function nestedConfig({ namespace, name, ...type }: JsonObject): JsonObject {
  if (name === undefined || name === '' || name === NO_DEFAULT_CONFIG) return type
  return { ...type, defaultConfig: { ...(namespace !== undefined && { namespace }), name } }
}

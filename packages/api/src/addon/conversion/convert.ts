import type { KubeObject } from '@orrery/kinds'
import { formatGroupVersion, resourceName } from '@orrery/kinds/values'
import { ClusterManagementAddOn } from '../cluster-management-addon.js'
import { ManagedClusterAddOn } from '../managed-cluster-addon.js'
import { ADDON_GROUP } from '../names.js'
import { clusterManagementAddOnToV1Alpha1, clusterManagementAddOnToV1Beta1 } from './cluster-management-addon.js'
import { managedClusterAddOnToV1Alpha1, managedClusterAddOnToV1Beta1 } from './managed-cluster-addon.js'

/** Converts one object to another version of its kind. */
export type AddOnConverter = (object: KubeObject, toApiVersion: string) => KubeObject

const V1ALPHA1 = formatGroupVersion(ADDON_GROUP, 'v1alpha1')
const V1BETA1 = formatGroupVersion(ADDON_GROUP, 'v1beta1')

interface Directions {
  readonly toV1Alpha1: (object: KubeObject) => KubeObject
  readonly toV1Beta1: (object: KubeObject) => KubeObject
}

const KINDS: ReadonlyMap<string, Directions> = new Map([
  [
    ClusterManagementAddOn.kind,
    { toV1Alpha1: clusterManagementAddOnToV1Alpha1, toV1Beta1: clusterManagementAddOnToV1Beta1 },
  ],
  [ManagedClusterAddOn.kind, { toV1Alpha1: managedClusterAddOnToV1Alpha1, toV1Beta1: managedClusterAddOnToV1Beta1 }],
])

/**
 * Converts an add-on object to another version. The input is not changed, but may share parts with the result. Throws
 * a `TypeError` for unknown kinds and versions.
 */
export function convertAddOn(object: KubeObject, toApiVersion: string): KubeObject {
  if (object.apiVersion === toApiVersion) return object
  const directions = KINDS.get(object.kind)
  if (directions !== undefined && object.apiVersion === V1ALPHA1 && toApiVersion === V1BETA1) {
    return { ...directions.toV1Beta1(object), apiVersion: toApiVersion }
  }
  if (directions !== undefined && object.apiVersion === V1BETA1 && toApiVersion === V1ALPHA1) {
    return { ...directions.toV1Alpha1(object), apiVersion: toApiVersion }
  }
  throw new TypeError(`cannot convert ${object.kind} of ${object.apiVersion} to ${toApiVersion}`)
}

/** The converters by CRD name. */
export const addOnConverters: Readonly<Record<string, AddOnConverter>> = {
  [resourceName(ClusterManagementAddOn)]: convertAddOn,
  [resourceName(ManagedClusterAddOn)]: convertAddOn,
}

import type { KubeObject } from '@orrery/kinds'
import type { ReplicasPaths } from '../apply/scale.js'
import type { Resource } from '../kinds/resource.js'

/** Maps a kind to the fields of a Scale. */
export interface ScaleMapping {
  replicas(object: KubeObject): number
  statusReplicas(object: KubeObject): number
  /** The selector as text, which clients pass on as `labelSelector`. */
  selector(object: KubeObject): string
  /** Returns a copy of the object with another number of replicas. */
  withReplicas(object: KubeObject, replicas: number): KubeObject
  /** The paths of the replicas in each version of the resource, for managed fields. */
  replicasPaths(resource: Resource): ReplicasPaths
}

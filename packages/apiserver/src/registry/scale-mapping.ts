import type { KubeObject } from '@orrery/kinds'
import type { ReplicasPaths } from '../apply/scale.js'
import type { Resource } from '../kinds/resource.js'

/** Where a kind keeps what a Scale shows. */
export interface ScaleMapping {
  replicas(object: KubeObject): number
  statusReplicas(object: KubeObject): number
  /** In the text form a client passes on as `labelSelector`. */
  selector(object: KubeObject): string
  /** A copy of the object with another number of replicas. */
  withReplicas(object: KubeObject, replicas: number): KubeObject
  /** Where the number is in each version of the resource, for those who own it there. */
  replicasPaths(resource: Resource): ReplicasPaths
}

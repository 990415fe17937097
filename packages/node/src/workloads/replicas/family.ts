import {
  type Kind,
  type NamespacedObject,
  type PodTemplateSpec,
  ReplicaSet,
  type ReplicaSetStatus,
  ReplicationController,
  type ReplicationControllerStatus,
} from '@orrery/kinds'
import type { LabelSelector } from '@orrery/kinds/values'
import { mapSelectorOf, selectorOf } from '../selectors.js'

/** The requested replicas, template and selector of either kind. */
export interface Wanted {
  readonly replicas: number
  readonly minReadySeconds: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec | undefined
}

export type ReplicasStatus = ReplicaSetStatus & ReplicationControllerStatus

/** A kind that keeps a number of identical pods running. */
export interface Family<T extends NamespacedObject & { status?: ReplicasStatus }> {
  readonly kind: Kind<T, object>
  /** The component of its events. */
  readonly component: string
  wanted(owner: T): Wanted
  /** Returns whether another object has the same controller, so that its pods count when pods to delete are chosen. */
  isKin(one: T, other: T): boolean
}

export const replicaSets: Family<ReplicaSet> = {
  kind: ReplicaSet,
  component: 'replicaset-controller',
  wanted: ({ spec }) => ({
    replicas: spec.replicas ?? 1,
    minReadySeconds: spec.minReadySeconds ?? 0,
    selector: selectorOf(spec.selector),
    template: spec.template,
  }),
  isKin: (one, other) => {
    const owner = controllerUid(one)
    return owner !== undefined && owner === controllerUid(other)
  },
}

export const replicationControllers: Family<ReplicationController> = {
  kind: ReplicationController,
  component: 'replication-controller',
  wanted: ({ spec }) => ({
    replicas: spec?.replicas ?? 1,
    minReadySeconds: spec?.minReadySeconds ?? 0,
    selector: mapSelectorOf(spec?.selector),
    template: spec?.template,
  }),
  isKin: () => false,
}

function controllerUid({ metadata }: NamespacedObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid
}

import { type ManagedCluster, ManagedClusterCondition, type ManifestWork } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import {
  annotationsChanged,
  anyOf,
  conditionChanged,
  generationChanged,
  labelsChanged,
  type Predicate,
} from '@orrery/kube'

const conditionsChanged: Predicate<ManifestWork> = ({ before, after }) =>
  !jsonEqual(before?.status?.conditions, after?.status?.conditions)

const claimsChanged: Predicate<ManagedCluster> = ({ before, after }) =>
  !jsonEqual(before?.status?.clusterClaims, after?.status?.clusterClaims)

/** A work changed in a way that its replica set may care about: not what was read from its objects. */
export const childChanged: Predicate<ManifestWork> = anyOf<ManifestWork>(
  generationChanged,
  labelsChanged,
  annotationsChanged,
  conditionsChanged,
)

/** A cluster changed in a way that its works may care about: what templates use, and whether it can have works. */
export const clusterChanged: Predicate<ManagedCluster> = anyOf<ManagedCluster>(
  generationChanged,
  labelsChanged,
  claimsChanged,
  conditionChanged(ManagedClusterCondition.HubAccepted),
)

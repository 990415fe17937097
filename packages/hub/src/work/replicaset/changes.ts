import { type ManagedCluster, ManagedClusterCondition, type ManifestWork } from '@orrery/api'
import { jsonEqual } from '@orrery/kinds/values'
import { generationChanged } from '@orrery/kube'
import { annotationsChanged, anyOf, conditionChanged, labelsChanged, type Predicate } from '@orrery/kube/controller'

const conditionsChanged: Predicate<ManifestWork> = ({ before, after }) =>
  !jsonEqual(before?.status?.conditions, after?.status?.conditions)

const claimsChanged: Predicate<ManagedCluster> = ({ before, after }) =>
  !jsonEqual(before?.status?.clusterClaims, after?.status?.clusterClaims)

/** A change of a work that its replica set depends on: anything but status feedback. */
export const childChanged: Predicate<ManifestWork> = anyOf<ManifestWork>(
  generationChanged,
  labelsChanged,
  annotationsChanged,
  conditionsChanged,
)

/** A change of a cluster that its works depend on: values for templates, and whether the cluster is accepted. */
export const clusterChanged: Predicate<ManagedCluster> = anyOf<ManagedCluster>(
  generationChanged,
  labelsChanged,
  claimsChanged,
  conditionChanged(ManagedClusterCondition.HubAccepted),
)

import { ClusterProperty } from './about/cluster-property.js'
import { addOnCrds } from './addon/crds.js'
import { AddOnPlacementScore } from './cluster/addon-placement-score.js'
import { ClusterClaim } from './cluster/cluster-claim.js'
import { ManagedCluster } from './cluster/managed-cluster.js'
import { ManagedClusterScore } from './cluster/managed-cluster-score.js'
import { ManagedClusterSet } from './cluster/managed-cluster-set.js'
import { ManagedClusterSetBinding } from './cluster/managed-cluster-set-binding.js'
import { Placement } from './cluster/placement.js'
import { PlacementDecision } from './cluster/placement-decision.js'
import { PlacementFailover } from './cluster/placement-failover.js'
import { ClusterProfile } from './multicluster/cluster-profile.js'
import { type CrdDraft, crdOf } from './schema/index.js'
import { AppliedManifestWork } from './work/applied-manifest-work.js'
import { ManifestWork } from './work/manifest-work.js'
import { ManifestWorkDryRun } from './work/manifest-work-dry-run.js'
import { ManifestWorkReplicaSet } from './work/manifest-work-replica-set.js'

/** The CRDs of a hub. */
export function hubCrds(): CrdDraft[] {
  return [
    crdOf([ManagedCluster]),
    crdOf([ManagedClusterSet]),
    crdOf([ManagedClusterSetBinding]),
    crdOf([Placement]),
    crdOf([PlacementDecision]),
    crdOf([PlacementFailover]),
    crdOf([AddOnPlacementScore]),
    crdOf([ManagedClusterScore]),
    crdOf([ManifestWork]),
    crdOf([ManifestWorkReplicaSet]),
    crdOf([ManifestWorkDryRun]),
    ...addOnCrds(),
    crdOf([ClusterProfile]),
  ]
}

/** The CRDs of a managed cluster. */
export function spokeCrds(): CrdDraft[] {
  return [crdOf([AppliedManifestWork]), crdOf([ClusterClaim]), crdOf([ClusterProperty])]
}

import { ClusterProperty } from './about/clusterproperty.js'
import { addOnCrds } from './addon/crds.js'
import { AddOnPlacementScore } from './cluster/addonplacementscore.js'
import { ClusterClaim } from './cluster/clusterclaim.js'
import { ManagedCluster } from './cluster/managedcluster.js'
import { ManagedClusterScore } from './cluster/managedclusterscore.js'
import { ManagedClusterSet } from './cluster/managedclusterset.js'
import { ManagedClusterSetBinding } from './cluster/managedclustersetbinding.js'
import { Placement } from './cluster/placement.js'
import { PlacementDecision } from './cluster/placementdecision.js'
import { ClusterProfile } from './multicluster/clusterprofile.js'
import { type CrdDraft, crdOf } from './schema/index.js'
import { AppliedManifestWork } from './work/appliedmanifestwork.js'
import { ManifestWorkDryRun } from './work/manifest-work-dry-run.js'
import { ManifestWork } from './work/manifestwork.js'
import { ManifestWorkReplicaSet } from './work/manifestworkreplicaset.js'

/** The definitions of the kinds that a hub serves. */
export function hubCrds(): CrdDraft[] {
  return [
    crdOf([ManagedCluster]),
    crdOf([ManagedClusterSet]),
    crdOf([ManagedClusterSetBinding]),
    crdOf([Placement]),
    crdOf([PlacementDecision]),
    crdOf([AddOnPlacementScore]),
    crdOf([ManagedClusterScore]),
    crdOf([ManifestWork]),
    crdOf([ManifestWorkReplicaSet]),
    crdOf([ManifestWorkDryRun]),
    ...addOnCrds(),
    crdOf([ClusterProfile]),
  ]
}

/** The definitions of the kinds that a managed cluster serves. */
export function spokeCrds(): CrdDraft[] {
  return [crdOf([AppliedManifestWork]), crdOf([ClusterClaim]), crdOf([ClusterProperty])]
}

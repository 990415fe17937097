import {
  AddOnLifecycle,
  ClusterManagementAddOn,
  clusterStateOf,
  LIFECYCLE_ANNOTATION,
  ManagedCluster,
  ManagedClusterAddOn,
} from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import { type Informer, type Informers, isBeingDeleted } from '@orrery/kube'
import type { PlacementRef } from '../placement/index.js'

const BY_NAME = 'addOnName'
const BY_PLACEMENT = 'installPlacement'

/** The add-ons of a hub, for every controller of add-ons. */
export class AddOnInformers {
  /** The ClusterManagementAddOns: one for each add-on. */
  readonly definitions: Informer<ClusterManagementAddOn>
  /** The ManagedClusterAddOns: one for each add-on of a cluster. */
  readonly addOns: Informer<ManagedClusterAddOn>
  readonly clusters: Informer<ManagedCluster>

  constructor(informers: Informers) {
    this.definitions = informers.of(ClusterManagementAddOn)
    this.addOns = informers.of(ManagedClusterAddOn)
    this.clusters = informers.of(ManagedCluster)
    this.addOns.addIndex(BY_NAME, names)
    this.definitions.addIndex(BY_PLACEMENT, placementKeys)
  }

  /** The add-on of this name on all clusters. */
  onClusters(name: string): readonly ManagedClusterAddOn[] {
    return this.addOns.byIndex(BY_NAME, name)
  }

  /** The cluster, if it may have add-ons: it is accepted and not being deleted. */
  acceptedCluster(name: string): ManagedCluster | undefined {
    const cluster = this.clusters.get({ name })
    if (cluster === undefined || isBeingDeleted(cluster)) return undefined
    return clusterStateOf(cluster).isAccepted ? cluster : undefined
  }

  /** The definition of an add-on, if the hub manages it. */
  managedDefinition(name: string): ClusterManagementAddOn | undefined {
    const definition = this.definitions.get({ name })
    return definition !== undefined && isManagedByHub(definition) ? definition : undefined
  }

  /** The add-ons that a placement installs. */
  installedBy(placement: PlacementRef): ObjectRef[] {
    return this.definitions.byIndex(BY_PLACEMENT, keyOf(placement)).map(({ metadata }) => metadata)
  }

  /** The add-on of this definition on all clusters, as references. */
  readonly ofDefinition = ({ metadata }: ClusterManagementAddOn): ObjectRef[] =>
    this.onClusters(metadata.name).map((addOn) => addOn.metadata)
}

/** Whether the hub manages an add-on. Otherwise the add-on manages itself. */
export function isManagedByHub({ metadata }: ClusterManagementAddOn): boolean {
  return (metadata.annotations?.[LIFECYCLE_ANNOTATION] ?? AddOnLifecycle.Manager) === AddOnLifecycle.Manager
}

/** Whether placements select the clusters of an add-on. Otherwise users create its ManagedClusterAddOns. */
export function isInstalledByPlacement({ spec }: ClusterManagementAddOn): boolean {
  return spec.installStrategy.type === 'Placements'
}

/** The placements that install an add-on. A later one takes precedence over those before it. */
export function placementsOf({ spec }: ClusterManagementAddOn): PlacementRef[] {
  return (spec.installStrategy.placements ?? []).map(({ namespace, name }) => ({ namespace, name }))
}

/** The functions of the indexes: the same for all users of an informer. */
function names({ metadata }: ManagedClusterAddOn): string[] {
  return [metadata.name]
}

function placementKeys(definition: ClusterManagementAddOn): string[] {
  return isInstalledByPlacement(definition) ? placementsOf(definition).map(keyOf) : []
}

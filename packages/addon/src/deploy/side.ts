import {
  AddOnCondition,
  HOSTING_PRE_DELETE_FINALIZER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import type { AddonWorks } from './addon-works.js'
import { deployWorkPrefix, hookWorkName, hostingHookWorkName, hostingWorkPrefix } from './names.js'
import type { Rendered } from './rendered.js'

/** A cluster that an add-on is deployed to, and the works for it. */
export interface Side {
  readonly cluster: ManagedCluster
  readonly part: keyof Rendered
  /** The namespace of the works. */
  readonly namespace: string
  /** The prefix of the names of the works that deploy. */
  readonly prefix: string
  /** The name of the work with the hooks. */
  readonly hookName: string
  readonly hookFinalizer: string
  /** The condition that reports on the works. */
  readonly condition: string
  /** The existing works. */
  readonly works: readonly ManifestWork[]
  readonly hookWork: ManifestWork | undefined
}

/** The managed cluster of an add-on. */
export function managedSide({ metadata }: ManagedClusterAddOn, cluster: ManagedCluster, works: AddonWorks): Side {
  const { name, namespace } = metadata
  return {
    cluster,
    part: 'managed',
    namespace,
    prefix: deployWorkPrefix(name),
    hookName: hookWorkName(name),
    hookFinalizer: PRE_DELETE_FINALIZER,
    condition: AddOnCondition.ManifestApplied,
    works: works.deploy,
    hookWork: works.hook[0],
  }
}

/** The cluster that hosts the agent of an add-on. Works for a former hosting cluster are not among its works. */
export function hostingSide({ metadata }: ManagedClusterAddOn, cluster: ManagedCluster, works: AddonWorks): Side {
  const isHere = (work: ManifestWork) => work.metadata.namespace === cluster.metadata.name
  return {
    cluster,
    part: 'hosting',
    namespace: cluster.metadata.name,
    prefix: hostingWorkPrefix(metadata.name, metadata.namespace),
    hookName: hostingHookWorkName(metadata.name, metadata.namespace),
    hookFinalizer: HOSTING_PRE_DELETE_FINALIZER,
    condition: AddOnCondition.HostingManifestApplied,
    works: works.hosting.filter(isHere),
    hookWork: works.hostingHook.find(isHere),
  }
}

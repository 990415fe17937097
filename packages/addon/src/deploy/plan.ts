import {
  AddOnCondition,
  HOSTING_MANIFESTS_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  type ManagedCluster,
  type ManagedClusterAddOn,
  type ManifestWork,
  PRE_DELETE_FINALIZER,
} from '@orrery/api'
import { isConditionTrue } from '@orrery/kinds/values'
import { hasFinalizer, isBeingDeleted } from '@orrery/kube'
import type { AgentAddon, InstallMode } from '../agent-addon.js'
import type { AddonWorks } from './addon-works.js'
import type { Hosting } from './hosting.js'
import type { Rendered } from './rendered.js'
import { hostingSide, managedSide, type Side } from './side.js'

/** The finalizers of an add-on that the deploy controller sets. */
export const DEPLOY_FINALIZERS = [
  PRE_DELETE_FINALIZER,
  HOSTING_PRE_DELETE_FINALIZER,
  HOSTING_MANIFESTS_FINALIZER,
] as const

/** An add-on on a cluster, and everything that its deployment depends on. */
export interface Subject {
  readonly agent: AgentAddon
  readonly addon: ManagedClusterAddOn
  readonly cluster: ManagedCluster
  readonly install: InstallMode
  readonly hosting: Hosting
  readonly works: AddonWorks
}

/** What to do for an add-on, as far as it does not depend on the manifests. */
export interface Plan {
  /** The clusters to deploy to. */
  readonly sides: readonly Side[]
  /** Whether the manifests are needed. */
  readonly needsManifests: boolean
  /** Works on hosting clusters that are no longer needed. */
  readonly abandoned: readonly ManifestWork[]
}

/**
 * Plans the deployment of an add-on. Nothing is deployed while the add-on or its cluster is being deleted, unless hooks have to
 * run first: they may need an agent that is up to date.
 */
export function planOf({ agent, addon, cluster, hosting, works }: Subject): Plan {
  const isDeleting = isBeingDeleted(addon)
  const isLeaving = isDeleting || isBeingDeleted(cluster)
  const isActive = (side: Side) => !isLeaving || hasFinalizer(addon, side.hookFinalizer)
  const sides = [
    managedSide(addon, cluster, works),
    ...(hosting.state === 'valid' ? [hostingSide(addon, hosting.cluster, works)] : []),
  ].filter(isActive)
  const isConfigured = isConditionTrue(addon.status?.conditions, AddOnCondition.Configured)
  return {
    sides,
    // What has to be undone was configured once.
    needsManifests: sides.length > 0 && (agent.requiresConfiguration !== true || isConfigured || isDeleting),
    abandoned: abandonedWorks(addon, hosting, works),
  }
}

/** Works for a cluster that does not host the agent any more, and those that are left when an add-on is deleted. */
function abandonedWorks(addon: ManagedClusterAddOn, hosting: Hosting, works: AddonWorks): ManifestWork[] {
  const isElsewhere = ({ metadata }: ManifestWork) =>
    hosting.state !== 'valid' || metadata.namespace !== hosting.cluster.metadata.name
  const isDeleting = isBeingDeleted(addon)
  const hasHooks = hasFinalizer(addon, HOSTING_PRE_DELETE_FINALIZER)
  return [
    ...works.hosting.filter((work) => isElsewhere(work) || (isDeleting && !hasHooks)),
    ...works.hostingHook.filter((work) => isElsewhere(work) || !isDeleting || !hasHooks),
  ]
}

/** The finalizers that an add-on needs now. Without manifests it is not known whether there are hooks: they stay. */
export function neededFinalizers({ addon, hosting }: Subject, rendered: Rendered | undefined): string[] {
  const has = (finalizer: string) => hasFinalizer(addon, finalizer)
  const isHosted = hosting.state === 'valid'
  const hasHooks = rendered === undefined ? has(PRE_DELETE_FINALIZER) : rendered.managed.hooks.length > 0
  const hasHostingHooks =
    isHosted && (rendered === undefined ? has(HOSTING_PRE_DELETE_FINALIZER) : rendered.hosting.hooks.length > 0)
  const hasHostedWorks = isHosted && (!isBeingDeleted(addon) || has(HOSTING_PRE_DELETE_FINALIZER))
  return [
    ...(hasHooks ? [PRE_DELETE_FINALIZER] : []),
    ...(hasHostingHooks ? [HOSTING_PRE_DELETE_FINALIZER] : []),
    ...(hasHostedWorks ? [HOSTING_MANIFESTS_FINALIZER] : []),
  ]
}

import { ADDON_NAME_LABEL, ADDON_NAMESPACE_LABEL, type ManifestWork } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import { isHostedFor, roleOfWork } from './names.js'

/** The works of one add-on on one cluster. */
export interface AddonWorks {
  /** The works that deploy the agent to its managed cluster, in the namespace of the cluster. */
  readonly deploy: readonly ManifestWork[]
  readonly hook: readonly ManifestWork[]
  /** The works that deploy the agent to the hosting cluster, in the namespace of that one. */
  readonly hosting: readonly ManifestWork[]
  readonly hostingHook: readonly ManifestWork[]
}

const INDEX = 'addon'

/**
 * The ManagedClusterAddOn that a work belongs to. A work for a hosting cluster has its namespace in a label, and in its name. For
 * other works the label does not count: the agent of a cluster may label the works in its namespace, and they must not become those
 * of another cluster's add-on.
 */
export function addonOfWork({ metadata: { name: workName, namespace, labels } }: ManifestWork): ObjectRef | undefined {
  const name = labels?.[ADDON_NAME_LABEL]
  const role = name === undefined ? undefined : roleOfWork(workName, name)
  if (name === undefined || role === undefined) return undefined
  if (role === 'deploy' || role === 'hook') return { namespace, name }
  const cluster = labels?.[ADDON_NAMESPACE_LABEL] ?? namespace
  return isHostedFor(workName, name, cluster) ? { namespace: cluster, name } : undefined
}

/** Lets `worksOfAddon` find works by their add-on. */
export function indexByAddon(works: Informer<ManifestWork>): void {
  works.addIndex(INDEX, (work) => {
    const ref = addonOfWork(work)
    return ref === undefined ? [] : [keyOf(ref)]
  })
}

/** The works of a ManagedClusterAddOn. */
export function worksOfAddon(works: Informer<ManifestWork>, addon: ObjectRef): AddonWorks {
  return sortedOut(works.byIndex(INDEX, keyOf(addon)), addon.name)
}

/** Works of an add-on by their role, each in the order of their numbers. */
export function sortedOut(works: readonly ManifestWork[], addon: string): AddonWorks {
  const sorted = works.toSorted((a, b) => numberOf(a) - numberOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1))
  const having = (role: keyof AddonWorks) => sorted.filter(({ metadata }) => roleOfWork(metadata.name, addon) === role)
  return {
    deploy: having('deploy'),
    hook: having('hook'),
    hosting: having('hosting'),
    hostingHook: having('hostingHook'),
  }
}

/** The number at the end of the name of a work. */
function numberOf({ metadata: { name } }: ManifestWork): number {
  const digits = /-(\d+)$/.exec(name)?.[1]
  return digits === undefined ? -1 : Number(digits)
}

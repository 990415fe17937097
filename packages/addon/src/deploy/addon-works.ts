import { ADDON_NAME_LABEL, ADDON_NAMESPACE_LABEL, type ManifestWork } from '@orrery/api'
import type { ObjectRef } from '@orrery/kinds'
import { keyOf } from '@orrery/kinds/values'
import type { Informer } from '@orrery/kube'
import { deployWorkPrefix, hookWorkName } from './names.js'

/** The works of one add-on on one cluster. */
export interface AddonWorks {
  /** The works that deploy the agent to its managed cluster, in the namespace of the cluster. */
  readonly deploy: readonly ManifestWork[]
  /** The works that deploy the agent to the hosting cluster, in the namespace of that one. */
  readonly hosting: readonly ManifestWork[]
  readonly hook: ManifestWork | undefined
  /** There is more than one while the hosting cluster changes. */
  readonly hostingHooks: readonly ManifestWork[]
}

const INDEX = 'addon'

/** The ManagedClusterAddOn that a work belongs to. A work for a hosting cluster has the namespace in a label. */
export function addonOfWork({ metadata }: ManifestWork): ObjectRef | undefined {
  const name = metadata.labels?.[ADDON_NAME_LABEL]
  if (name === undefined || !(isDeployWork(metadata.name, name) || isHookWork(metadata.name, name))) return undefined
  return { namespace: metadata.labels?.[ADDON_NAMESPACE_LABEL] ?? metadata.namespace, name }
}

/** Lets `worksOfAddon` find works by their add-on. */
export function indexByAddon(works: Informer<ManifestWork>): void {
  works.addIndex(INDEX, (work) => {
    const ref = addonOfWork(work)
    return ref === undefined ? [] : [keyOf(ref)]
  })
}

/** The works of a ManagedClusterAddOn, in the order of their names. */
export function worksOfAddon(works: Informer<ManifestWork>, addon: ObjectRef): AddonWorks {
  const all = works.byIndex(INDEX, keyOf(addon)).toSorted((a, b) => byNumber(a) - byNumber(b) || compareNames(a, b))
  const isHosting = ({ metadata }: ManifestWork) => metadata.labels?.[ADDON_NAMESPACE_LABEL] !== undefined
  const isHook = ({ metadata }: ManifestWork) => isHookWork(metadata.name, addon.name)
  return {
    deploy: all.filter((work) => !isHosting(work) && !isHook(work)),
    hosting: all.filter((work) => isHosting(work) && !isHook(work)),
    hook: all.find((work) => !isHosting(work) && isHook(work)),
    hostingHooks: all.filter((work) => isHosting(work) && isHook(work)),
  }
}

/** The number at the end of the name of a work. */
function numberOf({ metadata: { name } }: Pick<ManifestWork, 'metadata'>): number {
  const digits = /-(\d+)$/.exec(name)?.[1]
  return digits === undefined ? -1 : Number(digits)
}

function byNumber(work: ManifestWork): number {
  return numberOf(work)
}

function compareNames(a: ManifestWork, b: ManifestWork): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}

function isDeployWork(name: string, addon: string): boolean {
  return name.startsWith(deployWorkPrefix(addon))
}

function isHookWork(name: string, addon: string): boolean {
  return name.startsWith(hookWorkName(addon))
}

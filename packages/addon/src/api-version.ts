import {
  ADDON_GROUP,
  convertAddOn,
  ManagedClusterAddOn,
  type ManagedClusterAddOnStatus,
  ManagedClusterAddOnV1Alpha1,
} from '@orrery/api'
import type { KubeObject, ResourceType } from '@orrery/kinds'
import { formatGroupVersion, isNotFound } from '@orrery/kinds/values'
import { type Informer, type Informers, type KubeClient, writeStatus } from '@orrery/kube'
import type { CallOptions, Selection } from '@orrery/kube/client'
import { ConvertedInformer } from './converted-informer.js'

/** The status that a writer wants, by the current one. Returns its argument to change nothing. */
type StatusOf = (current: ManagedClusterAddOnStatus) => ManagedClusterAddOnStatus

/**
 * The ManagedClusterAddOns of a hub as v1beta1, whichever version it serves: hubs of Open Cluster Management before 1.3 serve v1alpha1
 * only.
 */
export interface AddonApi {
  readonly version: 'v1alpha1' | 'v1beta1'
  /** The informer for add-ons. */
  addOns(informers: Informers, selection?: Selection): Informer<ManagedClusterAddOn>
  /** Writes the status of an add-on from the informer, if it differs. Calls `statusOf` again after a conflict. */
  writeStatus(
    client: KubeClient,
    addOn: ManagedClusterAddOn,
    statusOf: StatusOf,
    call?: CallOptions,
  ): Promise<ManagedClusterAddOn>
}

/** Discovers the version of add-ons that a hub serves; undefined if it serves none. */
export async function discoverAddonApi(hub: KubeClient, call: CallOptions = {}): Promise<AddonApi | undefined> {
  if (await isServed(hub, ManagedClusterAddOn, call)) return V1BETA1
  return (await isServed(hub, ManagedClusterAddOnV1Alpha1, call)) ? v1alpha1() : undefined
}

async function isServed(
  hub: KubeClient,
  { group, version, plural }: ResourceType,
  call: CallOptions,
): Promise<boolean> {
  try {
    const path = `/apis/${group}/${version}`
    const { resources = [] } = await hub.getJson<{ resources?: { name: string }[] }>(path, call)
    return resources.some(({ name }) => name === plural)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

const V1BETA1: AddonApi = {
  version: 'v1beta1',
  addOns: (informers, selection) => informers.of(ManagedClusterAddOn, selection),
  writeStatus: (client, addOn, statusOf, call) =>
    writeStatus(client, ManagedClusterAddOn, addOn, ({ status = {} }) => statusOf(status), call),
}

function v1alpha1(): AddonApi {
  const originals = new WeakMap<ManagedClusterAddOn, ManagedClusterAddOnV1Alpha1>()
  const fromServed = (served: ManagedClusterAddOnV1Alpha1): ManagedClusterAddOn => {
    const addOn = converted<ManagedClusterAddOn>(served, ManagedClusterAddOn.version)
    originals.set(addOn, served)
    return addOn
  }
  const toServed = (addOn: ManagedClusterAddOn) =>
    converted<ManagedClusterAddOnV1Alpha1>(addOn, ManagedClusterAddOnV1Alpha1.version)
  return {
    version: 'v1alpha1',
    addOns: (informers, selection) =>
      new ConvertedInformer(ManagedClusterAddOn, informers.of(ManagedClusterAddOnV1Alpha1, selection), fromServed),
    async writeStatus(client, addOn, statusOf, call) {
      const servedStatus = (served: ManagedClusterAddOnV1Alpha1) => {
        const current = fromServed(served)
        const { status: before = {} } = current
        const after = statusOf(before)
        return after === before ? served.status : toServed({ ...current, status: after }).status
      }
      const known = originals.get(addOn) ?? toServed(addOn)
      return fromServed(await writeStatus(client, ManagedClusterAddOnV1Alpha1, known, servedStatus, call))
    },
  }
}

function converted<T>(object: object, version: string): T {
  return convertAddOn(object as unknown as KubeObject, formatGroupVersion(ADDON_GROUP, version)) as unknown as T
}

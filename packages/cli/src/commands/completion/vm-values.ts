import type { ApiObject, Kind } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import {
  organizationNamespace,
  SYSTEM_NAMESPACE,
  Template,
  VirtualDataCenter,
  VirtualMachineRequest,
  Zone,
} from '@orrery/ovim'
import { chooseOrganization, ownOrganizations } from '@orrery/ovim/client'
import type { Position } from './complete.js'

type Finder = (client: KubeClient, options: Position['options'], signal: AbortSignal) => Promise<string[]>

async function zones(client: KubeClient, _: Position['options'], signal: AbortSignal): Promise<string[]> {
  return (await client.list(Zone, { signal })).items.map(({ metadata }) => metadata.name)
}

/** Names of objects in the namespace of the organization, and in another one. */
function inOrganization<T extends ApiObject>(kind: Kind<T, object>, ...others: readonly string[]): Finder {
  return async (client, { org }, signal) => {
    const namespace = organizationNamespace(org ?? (await chooseOrganization(client, {})))
    const lists = await Promise.all([namespace, ...others].map((one) => client.list(kind, { namespace: one, signal })))
    return [...new Set(lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name)))]
  }
}

const templates = inOrganization(Template, SYSTEM_NAMESPACE)
const vdcs = inOrganization(VirtualDataCenter)

/** Finders for the commands about virtual machines, by the name of an option or an argument. */
export const VM_FINDERS: Readonly<Record<string, Finder>> = {
  '--org': ownOrganizations,
  org: ownOrganizations,
  vm: inOrganization(VirtualMachineRequest),
  '--vdc': vdcs,
  vdc: vdcs,
  '--template': templates,
  template: templates,
  '--zone': zones,
  zone: zones,
}

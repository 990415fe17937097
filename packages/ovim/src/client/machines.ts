import { CoreEvent } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { SYSTEM_NAMESPACE } from '../kinds/names.js'
import { Operation } from '../kinds/operation.js'
import { Template } from '../kinds/template.js'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import type { Zone } from '../kinds/zone.js'
import { organizationNamespace } from '../wire/vdc-payloads.js'
import type { Explanation } from './explanation.js'
import { explainMachine } from './machine-explanation.js'
import { readZones } from './zones.js'

/** A virtual machine, and why it is in its state. */
export interface MachineOverview {
  readonly request: VirtualMachineRequest
  readonly explanation: Explanation
}

/** A virtual machine with what belongs to it. */
export interface MachineDetails extends MachineOverview {
  readonly zone: Zone | undefined
  readonly template: Template | undefined
  /** The last operation; undefined if there was none, or if it was removed. */
  readonly operation: Operation | undefined
  /** Oldest first. */
  readonly events: readonly CoreEvent[]
}

/** The virtual machines of an organization, or of all, sorted by name. */
export async function machineOverviews(
  client: KubeClient,
  organization: string | undefined,
  now: Date,
): Promise<MachineOverview[]> {
  const namespace = organization === undefined ? undefined : organizationNamespace(organization)
  const [requests, zones] = await Promise.all([client.list(VirtualMachineRequest, { namespace }), readZones(client)])
  return requests.items.sort(byName).map((request) => ({ request, explanation: explainMachine(request, zones, now) }))
}

/** The details of a virtual machine. Throws if it does not exist. */
export async function machineDetails(
  client: KubeClient,
  organization: string,
  name: string,
  now: Date,
): Promise<MachineDetails> {
  const namespace = organizationNamespace(organization)
  const [request, zones, events] = await Promise.all([
    getMachine(client, organization, name),
    readZones(client),
    eventsOf(client, VirtualMachineRequest.kind, namespace, name),
  ])
  const { operation: summary, zone } = request.status ?? {}
  const [template, operation] = await Promise.all([
    findTemplate(client, namespace, request.spec.template),
    summary === undefined ? undefined : client.find(Operation, summary),
  ])
  return {
    request,
    explanation: explainMachine(request, zones, now),
    zone: zone === undefined ? undefined : zones?.get(zone),
    template,
    operation,
    events,
  }
}

/** A virtual machine. Throws an error with advice if it does not exist. */
export async function getMachine(
  client: KubeClient,
  organization: string,
  name: string,
): Promise<VirtualMachineRequest> {
  const found = await client.find(VirtualMachineRequest, { namespace: organizationNamespace(organization), name })
  if (found === undefined) throw new Error(machineNotFound(organization, name))
  return found
}

export function machineNotFound(organization: string, ...names: readonly string[]): string {
  return `virtual machine ${names.join(', ')} not found in organization ${organization}: run \`orrery vm list --org ${organization}\``
}

/** The template that a name means in the namespace of an organization: its own comes before a public one. */
export async function findTemplate(client: KubeClient, namespace: string, name: string): Promise<Template | undefined> {
  return (
    (await client.find(Template, { namespace, name })) ?? client.find(Template, { namespace: SYSTEM_NAMESPACE, name })
  )
}

/** The events of an object, oldest first. */
export async function eventsOf(
  client: KubeClient,
  kind: string,
  namespace: string,
  name: string,
): Promise<CoreEvent[]> {
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`
  const { items } = await client.list(CoreEvent, { namespace, fieldSelector })
  return items.sort((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
}

function timeOf({ lastTimestamp, eventTime, metadata }: CoreEvent): string {
  return lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? ''
}

function byName(a: VirtualMachineRequest, b: VirtualMachineRequest): number {
  const key = ({ metadata }: VirtualMachineRequest) => `${metadata.namespace}/${metadata.name}`
  return key(a) < key(b) ? -1 : 1
}

import type { CoreEvent } from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube'
import { VirtualDataCenter } from '../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../kinds/virtual-machine-request.js'
import { organizationNamespace } from '../wire/vdc-payloads.js'
import { type Explanation, isUnfinished } from './explanation.js'
import { type FollowOptions, follow } from './following.js'
import { eventsOf } from './machines.js'
import { type Zones, zoneProblem } from './zone-problem.js'
import { readZones } from './zones.js'

/** A virtual data center, and why it is in its state. */
export interface VdcOverview {
  readonly vdc: VirtualDataCenter
  readonly explanation: Explanation
}

export interface VdcDetails extends VdcOverview {
  /** The names of its virtual machines. */
  readonly machines: readonly string[]
  /** Oldest first. */
  readonly events: readonly CoreEvent[]
}

/** The virtual data centers of an organization, or of all, sorted by name. */
export async function vdcOverviews(client: KubeClient, organization: string | undefined): Promise<VdcOverview[]> {
  const namespace = organization === undefined ? undefined : organizationNamespace(organization)
  const [vdcs, zones] = await Promise.all([client.list(VirtualDataCenter, { namespace }), readZones(client)])
  const key = ({ metadata }: VirtualDataCenter) => `${metadata.namespace}/${metadata.name}`
  return vdcs.items
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map((vdc) => ({ vdc, explanation: explainVdc(vdc, zones) }))
}

/** The details of a virtual data center. Throws if it does not exist. */
export async function vdcDetails(client: KubeClient, organization: string, name: string): Promise<VdcDetails> {
  const namespace = organizationNamespace(organization)
  const [vdc, zones, machines, events] = await Promise.all([
    client.find(VirtualDataCenter, { namespace, name }),
    readZones(client),
    client.list(VirtualMachineRequest, { namespace }),
    eventsOf(client, VirtualDataCenter.kind, namespace, name),
  ])
  if (vdc === undefined) throw new Error(vdcNotFound(organization, name))
  const own = machines.items.filter(({ spec, status }) => (status?.vdc ?? spec.vdc) === name)
  return {
    vdc,
    explanation: explainVdc(vdc, zones),
    machines: own.map(({ metadata }) => metadata.name).sort(),
    events,
  }
}

export function vdcNotFound(organization: string, ...names: readonly string[]): string {
  return `virtual data center ${names.join(', ')} not found in organization ${organization}: run \`orrery vdc list --org ${organization}\``
}

/** Why a virtual data center is in its state, and what to do if it does not exist on its cluster as specified. */
export function explainVdc({ metadata, spec, status = {} }: VirtualDataCenter, zones: Zones): Explanation {
  const ready = findCondition(status.conditions, 'Ready')
  const zone = status.zone ?? spec.zoneId
  const away = zone === undefined ? undefined : zoneProblem(zone, zones)
  const message = status.message ?? ready?.message
  const isDeleting = metadata.deletionTimestamp !== undefined
  if (isDeleting && ready?.reason === 'VirtualMachinesExist') {
    const advice = `Delete its virtual machines: see \`orrery vdc describe ${metadata.name}\`.`
    return { state: 'waiting', text: `is being deleted: ${ready.message}`, advice }
  }
  const isApplied =
    status.phase === 'Active' &&
    status.observedGeneration === metadata.generation &&
    !isDeleting &&
    !isUnfinished(status.operation)
  if (away !== undefined) {
    const advice = `See \`orrery zone describe ${zone}\`, or \`orrery zone list\` for others.`
    return { state: 'waiting', text: isApplied ? `is active: ${away}` : away, advice }
  }
  if (ready?.reason === 'OperationFailed') {
    return { state: 'failed', text: ready.message, advice: 'Fix the reason: the hub repeats the operation.' }
  }
  if (isDeleting) return { state: 'in-progress', text: 'is being deleted' }
  if (ready?.reason === 'ZoneQuotaExceeded') {
    const advice = 'Use a smaller quota, or ask an administrator to raise the limit of the organization in the zone.'
    return { state: 'refused', text: ready.message, advice }
  }
  if (ready?.reason === 'NotPlaced')
    return { state: 'refused', text: ready.message, ...placementAdvice(spec, metadata.namespace) }
  if (isApplied && ready?.status === 'True') return { state: 'as-requested', text: `exists in zone ${zone}` }
  return { state: 'in-progress', text: message ?? 'is not handled yet' }
}

function placementAdvice({ placementRef }: VirtualDataCenter['spec'], home: string): { advice?: string } {
  if (placementRef === undefined) return { advice: 'Choose a zone from `orrery zone list`.' }
  const { name, namespace = home } = placementRef
  return { advice: `Run \`orrery explain placement ${name} -n ${namespace}\` to see why.` }
}

/** Waits until a virtual data center is as requested, or will not be. */
export function whenVdcSettled(
  client: KubeClient,
  organization: string,
  name: string,
  options: FollowOptions,
): Promise<Explanation> {
  const ref = { namespace: organizationNamespace(organization), name }
  return follow(
    client,
    VirtualDataCenter,
    ref,
    (vdc, zones) => {
      if (vdc === undefined) return { explanation: { state: 'refused', text: 'was deleted' }, isOver: true }
      const explanation = explainVdc(vdc, zones)
      return { explanation, isOver: ['as-requested', 'refused', 'failed'].includes(explanation.state) }
    },
    options,
  )
}

/** Waits until a virtual data center is gone. */
export function whenVdcGone(
  client: KubeClient,
  organization: string,
  name: string,
  options: FollowOptions,
): Promise<Explanation> {
  const ref = { namespace: organizationNamespace(organization), name }
  return follow(
    client,
    VirtualDataCenter,
    ref,
    (vdc, zones) =>
      vdc === undefined
        ? { explanation: { state: 'as-requested', text: 'is deleted' }, isOver: true }
        : { explanation: explainVdc(vdc, zones), isOver: false },
    options,
  )
}

import type { Informer } from '@orrery/kube'
import { organizationOf } from '../../kinds/names.js'
import type { Organization } from '../../kinds/organization.js'
import type { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { workloadNamespace } from '../../wire/vdc-payloads.js'
import { hasRoom, type ZoneChooser } from '../placing/zone-choice.js'
import { zoneQuotaProblem } from './zone-quota.js'

/** Where a virtual data center is. */
export interface VdcLocation {
  readonly organization: string
  readonly zone: string
  readonly workloadNamespace: string
}

const BY_WORKLOAD_NAMESPACE = 'workload-namespace'

/** Chooses where virtual data centers are created. */
export class VdcLocator {
  readonly #vdcs: Informer<VirtualDataCenter>
  readonly #organizations: Informer<Organization>
  readonly #chooser: ZoneChooser

  constructor(vdcs: Informer<VirtualDataCenter>, organizations: Informer<Organization>, chooser: ZoneChooser) {
    this.#vdcs = vdcs
    this.#organizations = organizations
    this.#chooser = chooser
    vdcs.addIndex(BY_WORKLOAD_NAMESPACE, namespacesOnCluster)
  }

  /** The place of a virtual data center, or why it has none. A zone that was chosen stays. */
  locate(vdc: VirtualDataCenter): VdcLocation | { readonly problem: string } {
    const { namespace, name } = vdc.metadata
    const organization = organizationOf(namespace)
    if (organization === undefined) {
      return { problem: `namespace ${namespace} is not of an organization: create it in org-{organization}` }
    }
    if ((vdc.spec.organizationRef ?? organization) !== organization) {
      const own = JSON.stringify(organization)
      return { problem: `spec.organizationRef must be ${own}, the organization of the namespace` }
    }
    const onCluster = workloadNamespace(organization, name)
    const taken = this.#otherOf(vdc, onCluster)
    if (taken !== undefined) {
      const other = `${taken.metadata.namespace}/${taken.metadata.name}`
      return { problem: `namespace ${onCluster} on clusters belongs to ${other}: choose another name` }
    }
    const zone = vdc.status?.zone ?? this.#zoneFor(vdc)
    return typeof zone === 'string' ? { organization, zone, workloadNamespace: onCluster } : zone
  }

  /** Why a virtual data center is more than its organization may have in the zone. */
  quotaProblem({ metadata, spec }: VirtualDataCenter, { organization: name, zone }: VdcLocation): string | undefined {
    const candidate = { uid: metadata.uid, quota: spec.quota }
    const own = this.#vdcs.list(metadata.namespace)
    const problem = zoneQuotaProblem(candidate, zone, this.#organizations.get({ name }), own)
    return problem && `spec.quota.${problem.resource}: ${problem.message}`
  }

  #zoneFor({ metadata, spec }: VirtualDataCenter): string | { readonly problem: string } {
    const { zoneId, placementRef = { name: '' }, quota = {} } = spec
    const choice =
      zoneId !== undefined ? this.#chooser.byName(zoneId) : this.#chooser.byPlacement(placementRef, metadata.namespace)
    if ('problem' in choice) return choice
    const zone = zoneId !== undefined ? choice.zones[0] : choice.zones.find((one) => hasRoom(one, quota))
    return zone?.metadata.name ?? { problem: 'no selected cluster has room for spec.quota' }
  }

  /**
   * The virtual data center that has the namespace already: two organizations with dashes in their names can mean the same one on a
   * cluster. The first has it. Of two that were created in the same second none has it, unless it is placed already.
   */
  #otherOf(vdc: VirtualDataCenter, namespace: string): VirtualDataCenter | undefined {
    if (vdc.status?.zone !== undefined) return undefined
    const { uid, creationTimestamp } = vdc.metadata
    const isFirst = ({ metadata }: VirtualDataCenter) =>
      metadata.uid !== uid && !(metadata.creationTimestamp > creationTimestamp)
    return this.#vdcs.byIndex(BY_WORKLOAD_NAMESPACE, namespace).find(isFirst)
  }
}

/** Where a virtual data center was created. */
export function locationOf({ metadata, status }: VirtualDataCenter): VdcLocation {
  const organization = organizationOf(metadata.namespace) ?? ''
  return {
    organization,
    zone: status?.zone ?? '',
    workloadNamespace: status?.workloadNamespace ?? workloadNamespace(organization, metadata.name),
  }
}

/** The function of the index: the same for all users of an informer. */
function namespacesOnCluster({ metadata: { namespace, name } }: VirtualDataCenter): string[] {
  const organization = organizationOf(namespace)
  return organization === undefined ? [] : [workloadNamespace(organization, name)]
}

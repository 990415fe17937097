import type { Informer, Informers } from '@orrery/kube'
import { Catalog } from '../../kinds/catalog.js'
import { organizationOf, SYSTEM_NAMESPACE } from '../../kinds/names.js'
import { Organization } from '../../kinds/organization.js'
import { Template } from '../../kinds/template.js'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { hasRoom, numberOf, ZoneChooser } from '../placing/zone-choice.js'
import { vdcsOfRequest } from '../vdcs/vdc-index.js'
import { templateProblem } from './template-rules.js'

/** Why a virtual machine cannot be created. */
export interface Refusal {
  readonly reason: string
  readonly message: string
  /** The field of the request that is concerned. */
  readonly field: string
}

/** Where a virtual machine is created, and from what. */
export interface Admitted {
  readonly organization: string
  readonly vdc: VirtualDataCenter
  readonly template: Template
}

export interface Size {
  readonly cpu: number
  readonly memory: number
  readonly storage: number
}

const BY_VDC = 'vdc'

/** Decides where virtual machines are created. The REST API asks before it creates a request, the controller before it starts. */
export class MachineAdmission {
  readonly organizations: Informer<Organization>
  readonly vdcs: Informer<VirtualDataCenter>
  readonly templates: Informer<Template>
  readonly catalogs: Informer<Catalog>
  readonly requests: Informer<VirtualMachineRequest>
  readonly chooser: ZoneChooser

  constructor(informers: Informers) {
    this.organizations = informers.of(Organization)
    this.vdcs = informers.of(VirtualDataCenter)
    this.templates = informers.of(Template)
    this.catalogs = informers.of(Catalog)
    this.requests = informers.of(VirtualMachineRequest)
    this.chooser = new ZoneChooser(informers)
    this.requests.addIndex(BY_VDC, vdcsOfRequest)
  }

  admit(request: Candidate): Admitted | Refusal {
    const { namespace } = request.metadata
    const name = organizationOf(namespace)
    const organization = name === undefined ? undefined : this.organizations.get({ name })
    if (name === undefined || organization === undefined) {
      const message = `namespace ${namespace} is not of an organization: create it in org-{organization}`
      return { reason: 'OrganizationNotFound', field: 'metadata.namespace', message }
    }
    if (!organization.spec.isEnabled) {
      const message = `organization ${name} is disabled: nothing new can be created in it`
      return { reason: 'OrganizationDisabled', field: 'metadata.namespace', message }
    }
    const template = this.templateOf(namespace, request.spec.template)
    if (template === undefined) {
      const message = `template ${JSON.stringify(request.spec.template)} does not exist in ${namespace} or ${SYSTEM_NAMESPACE}`
      return { reason: 'TemplateNotFound', field: 'spec.template', message }
    }
    const use = { organization, catalogs: this.catalogs, ownNamespaces: this.#namespacesOf(namespace) }
    const problem = templateProblem(template, use)
    if (problem !== undefined) return { reason: 'TemplateNotAllowed', field: 'spec.template', message: problem }
    const size = sizeOf(request, template)
    const tooSmall = sizeProblem(size, template)
    if (tooSmall !== undefined) return { reason: 'TooSmall', ...tooSmall }
    const vdc = this.#vdcFor(request, size)
    if ('reason' in vdc) return vdc
    const restricted = templateProblem(template, { ...use, vdc })
    if (restricted !== undefined) return { reason: 'TemplateNotAllowed', field: 'spec.template', message: restricted }
    return { organization: name, vdc, template }
  }

  /** The template that a name means in a namespace. One of its own comes before a public one. */
  templateOf(namespace: string, name: string): Template | undefined {
    return this.templates.get({ namespace, name }) ?? this.templates.get({ namespace: SYSTEM_NAMESPACE, name })
  }

  #namespacesOf(namespace: string): ReadonlySet<string> {
    return new Set(this.vdcs.list(namespace).flatMap(({ status }) => status?.workloadNamespace ?? []))
  }

  #vdcFor(request: Candidate, size: Size): VirtualDataCenter | Refusal {
    const { namespace } = request.metadata
    const { vdc: name = request.status?.vdc, placementRef } = request.spec
    if (name !== undefined) {
      const vdc = this.vdcs.get({ namespace, name })
      if (vdc === undefined) {
        const message = `virtual data center ${JSON.stringify(name)} does not exist in ${namespace}`
        return { reason: 'VirtualDataCenterNotFound', field: 'spec.vdc', message }
      }
      return this.#fits(request, vdc, size) ?? vdc
    }
    const choice = this.chooser.byPlacement(placementRef ?? { name: '' }, namespace)
    if ('problem' in choice) return { reason: 'NotPlaced', field: 'spec.placementRef', message: choice.problem }
    let refusal: Refusal | undefined
    for (const zone of choice.zones) {
      if (!hasRoom(zone, size)) continue
      for (const vdc of this.vdcs.list(namespace).filter(({ status }) => status?.zone === zone.metadata.name)) {
        const problem = this.#fits(request, vdc, size)
        if (problem === undefined) return vdc
        refusal ??= problem
      }
    }
    const message = 'no virtual data center of the organization in a selected cluster has room'
    return refusal ?? { reason: 'NotPlaced', field: 'spec.placementRef', message }
  }

  /** Why a virtual machine does not fit in a virtual data center. */
  #fits(request: Candidate, vdc: VirtualDataCenter, size: Size): Refusal | undefined {
    const { name, namespace, deletionTimestamp } = vdc.metadata
    if (deletionTimestamp !== undefined) {
      return {
        reason: 'VirtualDataCenterDeleting',
        field: 'spec.vdc',
        message: `virtual data center ${name} is being deleted`,
      }
    }
    const { quota = {} } = vdc.spec
    const others = this.requests
      .byIndex(BY_VDC, `${namespace}/${name}`)
      .filter((other) => other.metadata.uid !== request.metadata.uid && isBefore(other, request))
    const exceeded = (resource: string, used: number, wanted: number, limit: number, unit = '') => ({
      reason: 'QuotaExceeded',
      field: 'spec.vdc',
      message:
        `quota of virtual data center ${name} exceeded: ${resource} ${wanted}${unit} requested, ${used}${unit} of ` +
        `${limit}${unit} in use`,
    })
    const { virtualMachines } = quota
    if (virtualMachines !== undefined && others.length + 1 > virtualMachines) {
      return exceeded('virtual machines', others.length, 1, virtualMachines)
    }
    const sizes = others.map((other) => sizeOf(other, this.templateOf(namespace, other.spec.template)))
    for (const resource of ['cpu', 'memory', 'storage'] as const) {
      if (quota[resource] === undefined) continue
      const limit = numberOf(quota[resource])
      const used = sizes.reduce((sum, one) => sum + one[resource], 0)
      if (used + size[resource] > limit) return exceeded(resource, used, size[resource], limit)
    }
    return undefined
  }
}

/** A request, or the draft of one. */
export interface Candidate extends Pick<VirtualMachineRequest, 'spec'> {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly uid?: string
    readonly creationTimestamp?: string
  }
  readonly status?: VirtualMachineRequest['status']
}

/** Whether a request counts before another: it has its place, or it came first. One that was refused does not count. */
function isBefore(other: VirtualMachineRequest, request: Candidate): boolean {
  if (other.status?.zone !== undefined) return true
  const { creationTimestamp = '', uid = '' } = request.metadata
  if (uid === '') return true
  const isRefused =
    other.status?.conditions?.some(({ type, status }) => type === 'Scheduled' && status === 'False') === true
  const [first, second] = [other.metadata.creationTimestamp, creationTimestamp]
  return !isRefused && (first === second ? other.metadata.uid < uid : first < second)
}

/** The size of a virtual machine: cores and bytes. */
export function sizeOf({ spec }: Pick<Candidate, 'spec'>, template: Template | undefined): Size {
  return {
    cpu: spec.cpu ?? template?.spec.cpu ?? 0,
    memory: numberOf(spec.memory ?? template?.spec.memory),
    storage: numberOf(spec.storage ?? template?.spec.storage),
  }
}

function sizeProblem(size: Size, { metadata, spec }: Template): { field: string; message: string } | undefined {
  const { minCpu, minMemory, minStorage } = spec.requirements ?? {}
  const least = { cpu: minCpu, memory: minMemory, storage: minStorage }
  for (const resource of ['cpu', 'memory', 'storage'] as const) {
    if (size[resource] < numberOf(least[resource])) {
      const message = `template ${metadata.name} needs at least ${least[resource]}`
      return { field: `spec.${resource}`, message }
    }
  }
  return undefined
}

export function isRefusal(answer: Admitted | Refusal): answer is Refusal {
  return 'reason' in answer
}

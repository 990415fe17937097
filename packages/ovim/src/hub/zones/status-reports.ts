import { isAlreadyExists, isNotFound } from '@orrery/kinds/values'
import { type Informer, type KubeClient, writeStatus } from '@orrery/kube'
import { VirtualDataCenter } from '../../kinds/virtual-data-center.js'
import { VirtualMachineRequest } from '../../kinds/virtual-machine-request.js'
import { Zone } from '../../kinds/zone.js'
import type { StatusReport } from '../../wire/status-report.js'
import type { AgentContacts } from './agent-contacts.js'
import type { ZoneObjects } from './indexes.js'
import { isAfterOperation, machineStatus, missingStatus } from './machine-status.js'
import { reportedVdcStatus } from './vdc-status.js'
import type { SpokeAgent } from './zone-agents.js'
import { reportedStatus } from './zone-status.js'

export interface StatusReportsOptions {
  readonly client: KubeClient
  readonly zones: Informer<Zone>
  readonly objects: ZoneObjects
  readonly contacts: AgentContacts
}

/** Writes of one report at a time. */
const PARALLEL = 16

/**
 * Takes the reports of agents. What they report is compared with the objects in the cache, and only changes are written: a heartbeat
 * without a change costs no request. An object counts only in the zone that the credentials of the agent are for.
 */
export class StatusReports {
  readonly #client: KubeClient
  readonly #zones: Informer<Zone>
  readonly #objects: ZoneObjects
  readonly #contacts: AgentContacts

  constructor({ client, zones, objects, contacts }: StatusReportsOptions) {
    this.#client = client.withFieldManager('ovim-reports')
    this.#zones = zones
    this.#objects = objects
    this.#contacts = contacts
  }

  /** Resolves when everything that has changed is written. */
  async receive(agent: SpokeAgent, report: StatusReport): Promise<void> {
    const contact = this.#contacts.heard(agent, report)
    const zone = await this.#zone(agent)
    const writes = [
      () => writeStatus(this.#client, Zone, zone, (current) => reportedStatus(current, contact)),
      ...this.#machineWrites(agent.zone, report),
      ...this.#vdcWrites(agent.zone, report),
    ]
    for (let start = 0; start < writes.length; start += PARALLEL) {
      await Promise.all(writes.slice(start, start + PARALLEL).map((write) => untilGone(write)))
    }
  }

  async #zone({ zone: name, clusterId }: SpokeAgent): Promise<Zone> {
    const known = this.#zones.get({ name })
    if (known !== undefined) return known
    try {
      return await this.#client.create(Zone, { metadata: { name }, spec: { clusterName: clusterId } })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      return this.#client.get(Zone, { name })
    }
  }

  #machineWrites(zone: string, { vms, status, report_time }: StatusReport): (() => Promise<unknown>)[] {
    const writes: (() => Promise<unknown>)[] = []
    const write = (request: VirtualMachineRequest, statusOf: (current: VirtualMachineRequest) => object) => {
      // Compared here as well: a promise for each of thousands of unchanged machines would be most of the work.
      if (isSame(request.status ?? {}, statusOf(request))) return
      writes.push(() =>
        writeStatus(this.#client, VirtualMachineRequest, request, (current) =>
          isAfterOperation(current, report_time) ? statusOf(current) : current.status,
        ),
      )
    }
    const seen = new Set<VirtualMachineRequest>()
    for (const vm of vms) {
      const request = this.#objects.request(zone, vm.namespace, vm.name)
      if (request === undefined) continue
      seen.add(request)
      if (isAfterOperation(request, report_time)) write(request, (current) => machineStatus(current, vm, report_time))
    }
    // An agent that is not well may not see all machines.
    if (status !== 'healthy') return writes
    for (const request of this.#objects.requestsIn(zone)) {
      if (seen.has(request) || !isExpected(request) || !isAfterOperation(request, report_time)) continue
      write(request, missingStatus)
    }
    return writes
  }

  #vdcWrites(zone: string, { vdcs }: StatusReport): (() => Promise<unknown>)[] {
    return vdcs.flatMap((reported) => {
      const vdc = this.#objects.vdc(zone, reported.namespace)
      if (vdc === undefined || isSame(vdc.status ?? {}, reportedVdcStatus(vdc, reported))) return []
      const statusOf = (current: VirtualDataCenter) => reportedVdcStatus(current, reported)
      return [() => writeStatus(this.#client, VirtualDataCenter, vdc, statusOf)]
    })
  }
}

/** Whether the virtual machine of a request should be on its cluster. */
function isExpected({ metadata, status }: VirtualMachineRequest): boolean {
  return status?.created === true && metadata.deletionTimestamp === undefined
}

/** Whether the fields that reports set are the same. Others are compared by identity: they were copied. */
function isSame(before: object, after: object): boolean {
  const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>]
  const keys = Object.keys(b)
  if (keys.length !== Object.keys(a).length) return false
  return keys.every((key) => a[key] === b[key] || JSON.stringify(a[key]) === JSON.stringify(b[key]))
}

/** An object that was deleted meanwhile needs no status. */
async function untilGone(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}

import type { JsonObject } from '@orrery/kinds'
import { badRequest, durationToMilliseconds, forbidden, internalError, parseDuration } from '@orrery/kinds/values'
import { mergePatchOf, patchLocked } from '@orrery/kube/write'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import type { GuestInfo, Machine, MachineLook } from '../machine/machine.js'
import { isDryRun } from './body.js'
import { instanceOf, type SubresourceAction, type SubresourceCall } from './call.js'
import { INSTANCE_NOT_RUNNING, INSTANCE_RESOURCE, instanceConflict, VM_NOT_RUNNING } from './errors.js'
import { addedVolume, removedVolume, type VolumeChange } from './volumes.js'

/** How long file systems stay frozen. */
const FREEZE_TIMEOUT = 5 * 60_000
const NO_AGENT = 'VMI does not have guest agent connected'

/** The subresources of instances that change something. */
export const INSTANCE_ACTIONS: Readonly<Record<string, SubresourceAction>> = {
  async pause(call) {
    const { instance, machine, look } = await running(call, VM_NOT_RUNNING)
    const { livenessProbe } = instance.spec
    if (livenessProbe !== undefined && livenessProbe.guestAgentPing === undefined) {
      const why = 'Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported'
      throw forbidden(INSTANCE_RESOURCE, call.name, why)
    }
    if (look.state === 'paused') throw instanceConflict(call.name, 'VMI is already paused')
    if (!isDryRun(call.options)) await machine.pause()
    return 200
  },

  async unpause(call) {
    const vm = await call.client.find(VirtualMachine, call)
    if (vm?.status?.snapshotInProgress !== undefined) throw instanceConflict(call.name, 'VM snapshot is in progress')
    const { machine, look } = await running(call, INSTANCE_NOT_RUNNING)
    if (look.state !== 'paused') throw instanceConflict(call.name, 'VMI is not paused')
    if (!isDryRun(call.options)) await machine.unpause()
    return 200
  },

  async freeze(call) {
    const { machine, look } = await running(call, VM_NOT_RUNNING)
    if (look.guest === undefined) throw internalError(NO_AGENT)
    await machine.freeze(freezeTimeout(call.options))
    return 200
  },

  async unfreeze(call) {
    const { machine, look } = await running(call, INSTANCE_NOT_RUNNING)
    if (look.guest === undefined) throw internalError(NO_AGENT)
    await machine.unfreeze()
    return 200
  },

  async softreboot(call) {
    const { instance, machine, look } = await running(call, VM_NOT_RUNNING)
    if (look.state === 'paused') throw instanceConflict(call.name, 'VMI is paused')
    if (look.guest === undefined && instance.spec.domain.features?.acpi?.enabled === false) {
      throw instanceConflict(call.name, 'VMI neither have the agent connected nor the ACPI feature enabled')
    }
    await machine.softReboot()
    return 200
  },

  async reset(call) {
    const instance = await instanceOf(call)
    const { phase = '' } = instance.status ?? {}
    if (phase !== 'Running') throw badRequest(`Failed to reset non-running VMI with phase ${phase}`)
    await call.machines.of(instance).reset()
    return 200
  },

  addvolume: (call) => plug(call, addedVolume(call.options)),
  removevolume: (call) => plug(call, removedVolume(call.options)),
}

/** The subresources of instances that read or connect. */
export const INSTANCE_VIEWS: Readonly<Record<string, SubresourceAction>> = {
  async guestosinfo(call) {
    const { hostname, agentVersion, os, timezone, users, filesystems } = await guest(call)
    const info = { guestAgentVersion: agentVersion, hostname, os, timezone, userList: users }
    return { ...info, fsInfo: { disks: filesystems } }
  },

  async userlist(call) {
    return { metadata: {}, items: (await guest(call)).users }
  },

  async filesystemlist(call) {
    return { metadata: {}, items: (await guest(call)).filesystems }
  },

  async console(call) {
    const { machine } = await running(call, INSTANCE_NOT_RUNNING)
    await machine.serveConsole(call.exchange)
    return undefined
  },

  async vnc(call) {
    const { machine } = await running(call, INSTANCE_NOT_RUNNING)
    await machine.serveVnc(call.exchange)
    return undefined
  },

  async portforward(call) {
    await running(call, INSTANCE_NOT_RUNNING)
    const name = JSON.stringify(call.name)
    throw badRequest(`virtualmachineinstance ${name}: this cluster does not forward ports to guests`)
  },
}

interface RunningMachine {
  readonly instance: VirtualMachineInstance
  readonly machine: Machine
  readonly look: MachineLook
}

/** Returns the machine of a running instance. */
async function running(call: SubresourceCall, otherwise: string): Promise<RunningMachine> {
  const instance = await instanceOf(call)
  if (instance.status?.phase !== 'Running') throw instanceConflict(call.name, otherwise)
  const machine = call.machines.of(instance)
  return { instance, machine, look: machine.look(instance, call.now()) }
}

async function guest(call: SubresourceCall): Promise<GuestInfo> {
  const { look } = await running(call, INSTANCE_NOT_RUNNING)
  if (look.guest === undefined) throw instanceConflict(call.name, NO_AGENT)
  return look.guest
}

function freezeTimeout({ unfreezeTimeout }: JsonObject): number {
  if (unfreezeTimeout === undefined || unfreezeTimeout === null) return FREEZE_TIMEOUT
  try {
    const milliseconds = durationToMilliseconds(parseDuration(String(unfreezeTimeout)))
    return milliseconds > 0 ? milliseconds : FREEZE_TIMEOUT
  } catch {
    throw badRequest(`unfreezeTimeout ${JSON.stringify(unfreezeTimeout)} is not a duration, such as "5m"`)
  }
}

/** Changes the volumes of the running instance only. They are gone after a restart. */
async function plug(call: SubresourceCall, changeOf: VolumeChange): Promise<202> {
  const { instance, machine } = await running(call, INSTANCE_NOT_RUNNING)
  if (machine.played === undefined) {
    const name = JSON.stringify(call.name)
    throw badRequest(`virtualmachineinstance ${name}: this cluster does not change the volumes of running guests`)
  }
  const patchOf = ({ spec }: VirtualMachineInstance): JsonObject | undefined => {
    const changed = changeOf(spec)
    if (changed instanceof Error) throw instanceConflict(call.name, changed.message)
    const patch = mergePatchOf(spec, changed)
    return patch && { spec: patch }
  }
  await patchLocked(call.client, VirtualMachineInstance, instance, patchOf, { dryRun: isDryRun(call.options) })
  return 202
}

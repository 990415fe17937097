import type { JsonObject } from '@orrery/kinds'
import { badRequest } from '@orrery/kinds/values'
import { mergePatchOf, patchLocked } from '@orrery/kube/write'
import { NOT_MIGRATABLE } from '../instance/conditions.js'
import { VirtualMachineInstance } from '../kinds/instance.js'
import { VirtualMachine } from '../kinds/virtual-machine.js'
import { isFinal } from '../vm/run-strategy.js'
import { flagIn, isDryRun, secondsIn } from './body.js'
import { findInstance, instanceOf, type SubresourceAction, type SubresourceCall, vmOf } from './call.js'
import { VM_NOT_RUNNING, vmConflict } from './errors.js'
import { type PowerChange, restartChange, startChange, stopChange } from './power.js'
import { addedVolume, removedVolume, type VolumeChange } from './volumes.js'

/** The grace period of a forced restart. */
const FORCED_SECONDS = 1

/** The subresources of VirtualMachines that change something. */
export const VM_ACTIONS: Readonly<Record<string, SubresourceAction>> = {
  async start(call) {
    const paused = flagIn(call.options, 'paused')
    const instance = await findInstance(call)
    await change(call, (vm) => startChange(vm, instance, paused))
    return 202
  },

  async stop(call) {
    const grace = secondsIn(call.options, 'gracePeriod')
    const instance = await findInstance(call)
    stopChange(await vmOf(call), instance, grace)
    if (instance !== undefined && !isFinal(instance) && grace !== undefined) await shorten(call, instance, grace)
    // The rules that compare with the grace period hold for the one before.
    await change(call, (vm) => stopChange(vm, instance, grace))
    return 202
  },

  async restart(call) {
    const grace = secondsIn(call.options, 'gracePeriodSeconds')
    const instance = await findInstance(call)
    restartChange(await vmOf(call), instance, grace)
    if (instance !== undefined && grace === 0) await shorten(call, instance, FORCED_SECONDS)
    await change(call, (vm) => restartChange(vm, instance, grace))
    return 202
  },

  async migrate(call) {
    await vmOf(call)
    const instance = await instanceOf(call)
    if (instance.status?.phase !== 'Running') throw vmConflict(call.name, VM_NOT_RUNNING)
    const { reason, message } = NOT_MIGRATABLE
    throw vmConflict(call.name, `Cannot migrate VMI, Reason: ${reason}, Message: ${message}`)
  },

  addvolume: (call) => plug(call, addedVolume(call.options)),
  removevolume: (call) => plug(call, removedVolume(call.options)),

  async memorydump(call) {
    await vmOf(call)
    throw badRequest(`virtualmachine ${JSON.stringify(call.name)}: this cluster does not dump the memory of guests`)
  },

  async portforward(call) {
    await vmOf(call)
    throw badRequest(`virtualmachine ${JSON.stringify(call.name)}: this cluster does not forward ports to guests`)
  },
}

/** Changes the VirtualMachine. If it changes meanwhile, the rules are applied to it again. */
async function change(call: SubresourceCall, changeOf: (vm: VirtualMachine) => PowerChange): Promise<void> {
  const vm = await vmOf(call)
  const { isStatus } = changeOf(vm)
  const options = { dryRun: isDryRun(call.options), ...(isStatus && { subresource: 'status' }) }
  await patchLocked(call.client, VirtualMachine, vm, (current) => changeOf(current).patch, options)
}

async function shorten(call: SubresourceCall, instance: VirtualMachineInstance, seconds: number): Promise<void> {
  const patch = { spec: { terminationGracePeriodSeconds: seconds } }
  await patchLocked(call.client, VirtualMachineInstance, instance, () => patch, { dryRun: isDryRun(call.options) })
}

/** Changes the volumes of the template and of the running instance. */
async function plug(call: SubresourceCall, changeOf: VolumeChange): Promise<202> {
  const vm = await vmOf(call)
  const dryRun = isDryRun(call.options)
  const patchOf = ({ spec }: VirtualMachine): JsonObject | undefined => {
    const changed = changeOf(spec.template.spec)
    if (changed instanceof Error) throw vmConflict(call.name, changed.message)
    const template = mergePatchOf(spec.template.spec, changed)
    return template && { spec: { template: { spec: template } } }
  }
  await patchLocked(call.client, VirtualMachine, vm, patchOf, { dryRun })
  const instance = await findInstance(call)
  if (instance?.status?.phase !== 'Running') return 202
  const patchInstance = ({ spec }: VirtualMachineInstance): JsonObject | undefined => {
    const changed = changeOf(spec)
    // It already has the volume, or never had it.
    if (changed instanceof Error) return undefined
    const patch = mergePatchOf(spec, changed)
    return patch && { spec: patch }
  }
  await patchLocked(call.client, VirtualMachineInstance, instance, patchInstance, { dryRun })
  return 202
}

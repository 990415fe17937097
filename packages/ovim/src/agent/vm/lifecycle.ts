import type { JsonObject } from '@orrery/kinds'
import { isAlreadyExists } from '@orrery/kinds/values'
import type { KubeClient } from '@orrery/kube/client'
import type { TemplateRecord, VmCreateRequest, VmStatus, VmTarget, VmUpdateRequest } from '../../wire/index.js'
import { type Execution, persistently, waitUntil } from '../execution/execution.js'
import { OperationError } from '../execution/operation-error.js'
import { MANAGED_BY_OVIM, VM_ANNOTATIONS, VM_LABELS } from '../names.js'
import { type Found, keyOf, MachineAccess, type Ref } from './access.js'
import { buildVirtualMachine, cloudInitData, coresOf } from './build.js'
import { adoptCloudInit, writeCloudInit } from './cloud-init.js'
import { VirtualMachine, type VirtualMachineInstance } from './kinds.js'
import { perform } from './subresources.js'

/** Finds the template of a request and checks that the cluster can run it. Throws an `OperationError`. */
export type ResolveTemplate = (request: VmCreateRequest, signal: AbortSignal) => Promise<TemplateRecord>

/** Creates, changes and deletes machines through KubeVirt's API. Every action can be repeated with the same result. */
export class VmLifecycle {
  readonly #client: KubeClient
  readonly #access: MachineAccess
  readonly #resolveTemplate: ResolveTemplate

  constructor(client: KubeClient, resolveTemplate: ResolveTemplate) {
    this.#client = client
    this.#access = new MachineAccess(client)
    this.#resolveTemplate = resolveTemplate
  }

  async create(request: VmCreateRequest, execution: Execution): Promise<VmStatus> {
    await this.#access.requireVdc(request.namespace, execution)
    // A repetition must not depend on the template, which may be gone by now.
    const existing = await this.#access.find(request, execution)
    const vm = existing ?? (await this.#createNew(request, execution))
    if (vm.metadata.labels?.[VM_LABELS.managedBy] !== MANAGED_BY_OVIM) {
      const message = `virtual machine "${keyOf(request)}" already exists and does not belong to OVIM: choose another name`
      throw new OperationError('Conflict', message)
    }
    await adoptCloudInit(this.#client, vm, execution)
    if (request.power_state === 'Paused') await this.#startPaused(request, execution)
    return this.#access.statusOf(request, execution)
  }

  async start(target: VmTarget, execution: Execution): Promise<VmStatus> {
    await this.#access.require(target, execution)
    const outcome = await perform(this.#client, execution, target, 'start')
    if (!outcome.accepted && !isStarted(await this.#access.require(target, execution))) {
      throw refused('start', target, outcome.refusal)
    }
    return this.#done(target, execution)
  }

  async stop(target: VmTarget, execution: Execution): Promise<VmStatus> {
    await this.#access.require(target, execution)
    const { grace_period_seconds: gracePeriod } = target
    const body = gracePeriod === undefined ? {} : { gracePeriod }
    const outcome = await perform(this.#client, execution, target, 'stop', body)
    if (!outcome.accepted && !isStopped(await this.#access.require(target, execution))) {
      throw refused('stop', target, outcome.refusal)
    }
    return this.#done(target, execution)
  }

  /**
   * The instance that is to be replaced is noted on the machine first. If another instance runs when the operation is
   * repeated, the restart has happened.
   */
  async restart(target: VmTarget, execution: Execution): Promise<VmStatus> {
    const { vm, instance } = await this.#access.require(target, execution)
    const note = vm.metadata.annotations?.[VM_ANNOTATIONS.restart] ?? ''
    const isRepetition = note.startsWith(`${execution.operationId}/`)
    if (isRepetition && instance !== undefined && note !== restartNote(execution, instance)) {
      return this.#done(target, execution)
    }
    if (!isRepetition) {
      if (instance === undefined) throw notRunning(target, 'restart')
      await this.#annotate(target, execution, { [VM_ANNOTATIONS.restart]: restartNote(execution, instance) })
    }
    const { grace_period_seconds: gracePeriodSeconds } = target
    const body = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
    const outcome = await perform(this.#client, execution, target, 'restart', body)
    // The restart of the first attempt has stopped the machine, and it starts again by itself.
    if (!outcome.accepted && !(isRepetition && instance === undefined))
      throw refused('restart', target, outcome.refusal)
    return this.#done(target, execution)
  }

  pause(target: VmTarget, execution: Execution): Promise<VmStatus> {
    return this.#setPaused('pause', target, execution)
  }

  unpause(target: VmTarget, execution: Execution): Promise<VmStatus> {
    return this.#setPaused('unpause', target, execution)
  }

  /** Resolves when the machine is gone. Returns whether there was one. */
  async delete(target: VmTarget, execution: Execution): Promise<boolean> {
    await this.#access.requireVdc(target.namespace, execution)
    const vm = await this.#access.find(target, execution)
    if (vm === undefined || (target.uid !== undefined && vm.metadata.uid !== target.uid)) return false
    const { uid } = vm.metadata
    const grace = target.grace_period_seconds
    const options = { preconditions: { uid }, ...(grace !== undefined && { gracePeriodSeconds: grace }) }
    await persistently(execution, `the deletion of "${keyOf(target)}" is not accepted yet`, () =>
      this.#client.ensureDeleted(
        VirtualMachine,
        { namespace: target.namespace, name: target.name },
        { ...options, signal: execution.signal },
      ),
    )
    await waitUntil(
      execution,
      `virtual machine "${keyOf(target)}" still has finalizers or a running instance`,
      async () => {
        return (await this.#access.find(target, execution))?.metadata.uid !== uid
      },
    )
    return true
  }

  /** Returns the status, and whether the machine must be restarted for the change to take effect. */
  async update(
    request: VmUpdateRequest,
    execution: Execution,
  ): Promise<{ status: VmStatus; restartRequired: boolean }> {
    const { instance } = await this.#access.require(request, execution)
    const { cpu, memory, labels, annotations } = request
    const domain: JsonObject = {
      ...(cpu !== undefined && { cpu: { cores: coresOf(cpu) } }),
      ...(memory !== undefined && { memory: { guest: memory } }),
      resources: { requests: { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) } },
    }
    const isResized = cpu !== undefined || memory !== undefined
    const patch = {
      metadata: {
        ...(labels !== undefined && { labels: withoutReserved(labels) }),
        annotations: { ...annotations, [VM_ANNOTATIONS.lastOperation]: execution.operationId },
      },
      ...(isResized && { spec: { template: { spec: { domain } } } }),
    }
    await this.#access.patch(request, execution, patch)
    return {
      status: await this.#access.statusOf(request, execution),
      restartRequired: isResized && instance !== undefined,
    }
  }

  /** The status of a machine. Throws if it does not exist. */
  async status(target: VmTarget, execution: Execution): Promise<VmStatus> {
    await this.#access.require(target, execution)
    return this.#access.statusOf(target, execution)
  }

  async #createNew(request: VmCreateRequest, execution: Execution): Promise<VirtualMachine> {
    const { signal, operationId } = execution
    const template = await this.#resolveTemplate(request, signal)
    const machine = buildVirtualMachine(request, template, operationId)
    const data = cloudInitData(request, template)
    if (data !== undefined) await writeCloudInit(this.#client, request, data, execution)
    try {
      return await persistently(execution, `virtual machine "${keyOf(request)}" is not accepted yet`, () =>
        this.#client.create(VirtualMachine, machine, { signal }),
      )
    } catch (error) {
      // An earlier attempt created it, and its reply was lost.
      const existing = isAlreadyExists(error) ? await this.#access.find(request, execution) : undefined
      if (existing !== undefined) return existing
      throw error
    }
  }

  async #startPaused(target: VmTarget, execution: Execution): Promise<void> {
    const { instance } = await this.#access.require(target, execution)
    if (instance !== undefined) return
    const outcome = await perform(this.#client, execution, target, 'start', { paused: true })
    if (!outcome.accepted && !isStarted(await this.#access.require(target, execution))) {
      throw refused('start', target, outcome.refusal)
    }
  }

  async #setPaused(action: 'pause' | 'unpause', target: VmTarget, execution: Execution): Promise<VmStatus> {
    const { instance } = await this.#access.require(target, execution)
    if (instance === undefined) throw notRunning(target, action)
    if (isPaused(instance) !== (action === 'pause')) {
      const outcome = await perform(this.#client, execution, target, action)
      if (!outcome.accepted) {
        const after = await this.#access.require(target, execution)
        if (after.instance === undefined || isPaused(after.instance) !== (action === 'pause')) {
          throw refused(action, target, outcome.refusal)
        }
      }
    }
    return this.#done(target, execution)
  }

  async #done(target: VmTarget, execution: Execution): Promise<VmStatus> {
    await this.#annotate(target, execution, {})
    return this.#access.statusOf(target, execution)
  }

  async #annotate(target: VmTarget, execution: Execution, annotations: Record<string, string>): Promise<void> {
    const all = { ...annotations, [VM_ANNOTATIONS.lastOperation]: execution.operationId }
    await this.#access.patch(target, execution, { metadata: { annotations: all } })
  }
}

function restartNote(execution: Execution, instance: VirtualMachineInstance): string {
  return `${execution.operationId}/${instance.metadata.uid}`
}

function isPaused(instance: VirtualMachineInstance): boolean {
  return instance.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') === true
}

function runStrategy({ spec }: VirtualMachine): string {
  return spec.runStrategy ?? (spec.running === true ? 'Always' : 'Halted')
}

/** Whether it runs, or KubeVirt will run it by itself. */
function isStarted({ vm, instance }: Found): boolean {
  return instance !== undefined || runStrategy(vm) === 'Always' || runStrategy(vm) === 'Once'
}

function isStopped({ vm, instance }: Found): boolean {
  return instance === undefined || runStrategy(vm) === 'Halted'
}

/** Labels by which the agent finds its machines stay. */
function withoutReserved(labels: Readonly<Record<string, string>>): Record<string, string> {
  const reserved: readonly string[] = [VM_LABELS.managedBy, VM_LABELS.vmName]
  return Object.fromEntries(Object.entries(labels).filter(([key]) => !reserved.includes(key)))
}

function notRunning(target: Ref, action: string): OperationError {
  return new OperationError(
    'NotRunning',
    `virtual machine "${keyOf(target)}" is not running: start it before you ${action} it`,
  )
}

function refused(action: string, target: Ref, refusal: string): OperationError {
  return new OperationError('Conflict', `KubeVirt does not ${action} virtual machine "${keyOf(target)}": ${refusal}`)
}

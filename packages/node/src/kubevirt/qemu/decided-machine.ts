import { internalError } from '@orrery/kinds/values'
import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { Machine, MachineExit, MachineLook } from '../machine/machine.js'

/** A machine that starts once it is decided whether it is real or played. */
export class DecidedMachine implements Machine {
  readonly #decision: Promise<Machine>
  #decided: Machine | undefined
  #grace: number | undefined

  /** `decision` must not reject. */
  constructor(decision: Promise<Machine>, changed: () => void) {
    this.#decision = decision.then((machine) => {
      this.#decided = machine
      if (this.#grace !== undefined) machine.stop(this.#grace)
      changed()
      return machine
    })
  }

  get played(): string | undefined {
    return this.#decided?.played
  }

  look(instance: VirtualMachineInstance, now: Date): MachineLook {
    return this.#decided?.look(instance, now) ?? { state: 'starting', isFrozen: false }
  }

  stop(graceSeconds: number): void {
    if (this.#decided === undefined) this.#grace = Math.min(graceSeconds, this.#grace ?? graceSeconds)
    else this.#decided.stop(graceSeconds)
  }

  async pause(): Promise<void> {
    await (await this.#decision).pause()
  }

  async unpause(): Promise<void> {
    await (await this.#decision).unpause()
  }

  async reset(): Promise<void> {
    await (await this.#decision).reset()
  }

  async softReboot(): Promise<void> {
    await (await this.#decision).softReboot()
  }

  async freeze(timeoutMilliseconds: number): Promise<void> {
    await (await this.#decision).freeze(timeoutMilliseconds)
  }

  async unfreeze(): Promise<void> {
    await (await this.#decision).unfreeze()
  }

  async serveConsole(exchange: GateExchange): Promise<void> {
    await (await this.#decision).serveConsole(exchange)
  }

  async serveVnc(exchange: GateExchange): Promise<void> {
    await (await this.#decision).serveVnc(exchange)
  }

  async close(graceSeconds: number): Promise<void> {
    await (await this.#decision).close(graceSeconds)
  }
}

/** A machine that has ended: it could not start, or an earlier run of the node ended it. */
export class EndedMachine implements Machine {
  readonly played = undefined
  readonly #exit: MachineExit

  constructor(message: string, at: Date) {
    this.#exit = { reason: 'crashed', at, message }
  }

  look(): MachineLook {
    return { state: 'ended', exit: this.#exit, isFrozen: false }
  }

  stop(): void {
    // It has ended.
  }

  pause = refuse
  unpause = refuse
  reset = refuse
  softReboot = refuse
  freeze = refuse
  unfreeze = refuse
  serveConsole = refuse
  serveVnc = refuse

  async close(): Promise<void> {
    // There is no process to end.
  }
}

async function refuse(): Promise<never> {
  throw internalError('the virtual machine has ended')
}

import { mkdir } from 'node:fs/promises'
import { badRequest, internalError } from '@orrery/kinds/values'
import type { Clock } from '@orrery/kube/clock'
import type { Isolation } from '../../kubelet/isolation/isolation.js'
import type { GroupProcess, ProcessEnd } from '../../kubelet/os/child-process.js'
import { removeTree } from '../../kubelet/os/remove-tree.js'
import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'
import type { VirtualMachineInstance } from '../kinds/instance.js'
import type { Machine, MachineExit, MachineLook } from '../machine/machine.js'
import { AGENT_PORT, AGENT_SOCKET, CONSOLE_SOCKET, DISPLAY_SOCKET, MONITOR_SOCKET, qemuArguments } from './arguments.js'
import type { Qemu } from './find-qemu.js'
import { GuestAgent } from './guest-agent.js'
import { sharedFilesOf, writeDisks } from './machine-files.js'
import type { MachinePlan } from './plan.js'
import { QmpConnection, type QmpEvent } from './qmp.js'
import { bridge, openPlainSocket, SerialConsole } from './serial-console.js'
import { QemuSite } from './site.js'
import { SocketDirectory } from './socket-directory.js'

export interface QemuMachineOptions {
  readonly name: string
  readonly hostname: string
  readonly plan: MachinePlan
  readonly qemu: Qemu
  readonly isolation: Isolation | undefined
  /** The directory of this machine. It is removed with it. */
  readonly directory: string
  readonly clock: Clock
  readonly changed: () => void
}

/** How often a guest is asked to shut down. One that is still booting does not hear the first request. */
const POWERDOWN_PERIOD = 5_000
/** How much of QEMU's error output is kept. */
const MAX_OUTPUT = 4_096

/**
 * A virtual machine in a QEMU process.
 *
 * | state    | until                                                                     |
 * |----------|---------------------------------------------------------------------------|
 * | starting | its disks are there, QEMU has started and the node is connected to it     |
 * | running  | it is paused                                                              |
 * | paused   | it is resumed                                                             |
 * | ended    | final: the guest has shut down, QEMU has ended for another reason, or it could not start |
 */
export class QemuMachine implements Machine {
  readonly played = undefined
  readonly #options: QemuMachineOptions
  readonly #console = new SerialConsole()
  readonly #agent: GuestAgent
  readonly #ended: Promise<void>
  #state: 'starting' | 'running' | 'paused' = 'starting'
  #exit: MachineExit | undefined
  #sockets: SocketDirectory | undefined
  #process: GroupProcess | undefined
  #monitor: QmpConnection | undefined
  /** Why the guest ended, as QEMU reported it. */
  #shutdown: string | undefined
  #output = ''
  #frozenUntil = 0
  #isStopping = false
  #isKilled = false
  #killAt = Number.POSITIVE_INFINITY
  #cancelKill: (() => void) | undefined
  #cancelPowerdown: (() => void) | undefined
  #cancelThaw: (() => void) | undefined

  constructor(options: QemuMachineOptions) {
    this.#options = options
    this.#agent = new GuestAgent(options.clock, options.changed)
    this.#ended = this.#run()
  }

  look(_instance: VirtualMachineInstance, now: Date): MachineLook {
    if (this.#exit !== undefined) return { state: 'ended', exit: this.#exit, isFrozen: false }
    const { info } = this.#agent
    const isFrozen = this.#frozenUntil > now.getTime()
    return { state: this.#state, isFrozen, ...(info !== undefined && { guest: info }) }
  }

  stop(graceSeconds: number): void {
    const { clock } = this.#options
    const killAt = clock.elapsed() + graceSeconds * 1_000
    if (killAt < this.#killAt) {
      this.#killAt = killAt
      this.#cancelKill?.()
      if (graceSeconds <= 0) this.#kill()
      else this.#cancelKill = clock.after(graceSeconds * 1_000, () => this.#kill())
    }
    if (this.#isStopping) return
    this.#isStopping = true
    this.#powerDown()
  }

  async pause(): Promise<void> {
    await this.#execute('stop')
    this.#enter('paused')
  }

  async unpause(): Promise<void> {
    await this.#execute('cont')
    this.#enter('running')
  }

  async reset(): Promise<void> {
    await this.#execute('system_reset')
  }

  /** Through the agent if there is one, like the command `reboot`; otherwise by Ctrl-Alt-Delete, which init handles. */
  async softReboot(): Promise<void> {
    if (this.#agent.info !== undefined) return this.#agent.reboot()
    const keys = ['ctrl', 'alt', 'delete'].map((data) => ({ type: 'qcode', data }))
    await this.#execute('send-key', { keys })
  }

  async freeze(timeoutMilliseconds: number): Promise<void> {
    const { clock, changed } = this.#options
    await this.#agent.freeze()
    this.#frozenUntil = clock.now().getTime() + timeoutMilliseconds
    this.#cancelThaw?.()
    this.#cancelThaw = clock.after(timeoutMilliseconds, () => {
      this.unfreeze().catch(changed)
    })
    changed()
  }

  async unfreeze(): Promise<void> {
    this.#cancelThaw?.()
    await this.#agent.unfreeze()
    this.#frozenUntil = 0
    this.#options.changed()
  }

  async serveConsole(exchange: GateExchange): Promise<void> {
    if (!this.#options.plan.hasSerialConsole) throw this.#without('console', 'autoattachSerialConsole')
    this.#console.serve(openPlainSocket(exchange, 'console'))
  }

  async serveVnc(exchange: GateExchange): Promise<void> {
    if (!this.#options.plan.hasDisplay) throw this.#without('display', 'autoattachGraphicsDevice')
    const sockets = this.#sockets
    if (sockets === undefined) throw internalError('the virtual machine has ended')
    bridge(openPlainSocket(exchange, 'display'), sockets.connect(DISPLAY_SOCKET))
  }

  async close(graceSeconds: number): Promise<void> {
    this.stop(graceSeconds)
    await this.#ended
    await removeTree(this.#options.directory)
  }

  /** Starts QEMU, and follows it until it has ended. Never rejects. */
  async #run(): Promise<void> {
    let end: ProcessEnd | undefined
    let problem: string | undefined
    try {
      const { process, connected } = await this.#start()
      await Promise.race([this.#begin(connected), process.ended])
      end = await process.ended
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error)
      this.#process?.kill('SIGKILL')
      await this.#process?.ended
    }
    this.#exit = this.#exitOf(end, problem)
    for (const cancel of [this.#cancelKill, this.#cancelPowerdown, this.#cancelThaw]) cancel?.()
    this.#agent.close()
    this.#console.close()
    await this.#sockets?.close()
    this.#options.changed()
  }

  async #start(): Promise<{ process: GroupProcess; connected: Promise<QmpConnection> }> {
    const { plan, qemu, isolation, directory, hostname } = this.#options
    await removeTree(directory)
    await mkdir(directory, { recursive: true, mode: 0o700 })
    const shared = await sharedFilesOf(plan)
    const site = await QemuSite.make({ isolation, directory, hostname, shared, devices: qemu.devices })
    const files = await writeDisks(plan.disks, site.directory, (index) => site.placeOf(index))
    const kernelIndex = shared.length - (plan.kernel?.initrd === undefined ? 1 : 2)
    const kernel = plan.kernel && {
      kernel: site.placeOf(kernelIndex),
      initrd: plan.kernel.initrd && site.placeOf(kernelIndex + 1),
    }
    const sockets = await SocketDirectory.open(site.directory)
    this.#sockets = sockets
    const { promise: connected, resolve: connect } = deferred<QmpConnection>()
    await sockets.listen(MONITOR_SOCKET, (line) => connect(new QmpConnection(line, (event) => this.#onEvent(event))))
    await sockets.listen(CONSOLE_SOCKET, this.#console.connect)
    await sockets.listen(AGENT_SOCKET, this.#agent.connect)
    if (this.#isKilled) throw new Error('The machine was stopped before it started')
    const command = [qemu.system, ...qemuArguments(plan, files, kernel, qemu)]
    const process = await site.start(command, (_, piece) => {
      this.#output = `${this.#output}${piece.toString('utf8')}`.slice(-MAX_OUTPUT)
      return undefined
    })
    this.#process = process
    if (this.#isKilled) process.kill('SIGKILL')
    return { process, connected }
  }

  /** Starts the guest. */
  async #begin(connected: Promise<QmpConnection>): Promise<void> {
    const monitor = await connected
    await monitor.greeted
    await monitor.execute('qmp_capabilities')
    this.#monitor = monitor
    if (this.#options.plan.startsPaused) return this.#enter('paused')
    await monitor.execute('cont')
    this.#enter('running')
  }

  #onEvent({ name, data }: QmpEvent): void {
    switch (name) {
      case 'SHUTDOWN':
        this.#shutdown = String(data.reason)
        return
      case 'STOP':
        // QEMU also stops the guest when it ends.
        if (this.#shutdown === undefined && this.#state !== 'starting') this.#enter('paused')
        return
      case 'RESUME':
        this.#enter('running')
        return
      case 'VSERPORT_CHANGE':
        if (data.id === AGENT_PORT) this.#agent.setOpen(data.open === true)
        return
    }
  }

  #enter(state: 'running' | 'paused'): void {
    if (this.#exit !== undefined || this.#state === state) return
    this.#state = state
    if (this.#isStopping) this.#powerDown()
    this.#options.changed()
  }

  /** Presses the power button, and again later. A paused guest does not react. */
  #powerDown(): void {
    this.#cancelPowerdown?.()
    const monitor = this.#monitor
    if (monitor === undefined || this.#exit !== undefined) return
    // A machine that ends meanwhile rejects it.
    monitor.execute('system_powerdown').catch(() => undefined)
    this.#cancelPowerdown = this.#options.clock.after(POWERDOWN_PERIOD, () => this.#powerDown())
  }

  #kill(): void {
    this.#isKilled = true
    this.#process?.kill('SIGKILL')
  }

  async #execute(command: string, options?: object): Promise<void> {
    const monitor = this.#monitor
    if (monitor === undefined) throw internalError('the virtual machine is not running')
    await monitor.execute(command, options)
  }

  #exitOf(end: ProcessEnd | undefined, problem: string | undefined): MachineExit {
    const at = this.#options.clock.now()
    if (this.#shutdown === 'guest-panic') return { reason: 'crashed', at, message: 'The kernel of the guest panicked' }
    if (this.#shutdown?.startsWith('guest-') === true) return { reason: 'shutdown', at }
    // Nothing of a guest that never ran can be lost.
    if (this.#isKilled) return { reason: this.#state === 'starting' ? 'shutdown' : 'killed', at }
    if (problem !== undefined) return { reason: 'crashed', at, message: `The machine did not start: ${problem}` }
    const output = this.#output.trim().split('\n').at(-1) ?? ''
    const how = end?.signal === undefined ? `with exit code ${end?.exitCode}` : `by signal ${end.signal}`
    return { reason: 'crashed', at, message: `QEMU ended ${how}${output === '' ? '' : `: ${output}`}` }
  }

  #without(what: string, field: string): Error {
    const name = JSON.stringify(this.#options.name)
    return badRequest(`virtualmachineinstance ${name} has no ${what}: spec.domain.devices.${field} is false`)
  }
}

function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((take) => {
    resolve = take
  })
  return { promise, resolve }
}

import type { GateExchange } from '../../kubelet/streaming/gate-exchange.js'
import type { GuestOSInfo, VirtualMachineInstance } from '../kinds/instance.js'

/** How a guest ended. */
export interface MachineExit {
  /** `shutdown`: the guest shut down. `killed`: its grace period ended. `crashed`: it ended unexpectedly. */
  readonly reason: 'shutdown' | 'killed' | 'crashed'
  readonly at: Date
  readonly message?: string
}

/** The data that the guest agent reports. */
export interface GuestInfo {
  readonly hostname: string
  readonly agentVersion: string
  readonly os: GuestOSInfo
  readonly timezone: string
  readonly users: readonly { readonly userName: string; readonly domain?: string; readonly loginTime?: number }[]
  readonly filesystems: readonly {
    readonly diskName: string
    readonly mountPoint: string
    readonly fileSystemType: string
    readonly usedBytes: number
    readonly totalBytes: number
  }[]
}

/** The state of a machine at a time. */
export interface MachineLook {
  /** `starting` → `running` ⇄ `paused` → `ended`. */
  readonly state: 'starting' | 'running' | 'paused' | 'ended'
  /** Set in the state `ended`. */
  readonly exit?: MachineExit
  /** Set while the guest agent is connected. */
  readonly guest?: GuestInfo
  /** Whether the file systems of the guest are frozen. */
  readonly isFrozen: boolean
  /** When the state changes next, if that depends on the time only. */
  readonly again?: Date
}

/**
 * The virtual machine of one instance. Failures of actions are `StatusError`s. The owner of a machine is called back
 * when its state changes for another reason than the time.
 */
export interface Machine {
  /** If no guest runs, why its state is played. */
  readonly played: string | undefined
  look(instance: VirtualMachineInstance, now: Date): MachineLook
  /** Shuts the guest down, and kills it after the grace period. May be repeated with a shorter one. */
  stop(graceSeconds: number): void
  pause(): Promise<void>
  unpause(): Promise<void>
  /** Restarts the guest at once, like a reset button. */
  reset(): Promise<void>
  /** Asks the guest to restart. */
  softReboot(): Promise<void>
  /** Freezes the file systems until `unfreeze`, at most for this time. */
  freeze(timeoutMilliseconds: number): Promise<void>
  unfreeze(): Promise<void>
  /** Serves a connection to the serial console. */
  serveConsole(exchange: GateExchange): Promise<void>
  /** Serves a connection to the display. */
  serveVnc(exchange: GateExchange): Promise<void>
  /** Releases its resources. A guest that still runs may shut down for this time, and is killed then. */
  close(graceSeconds: number): Promise<void>
}

/** Runs the machines of instances. */
export interface MachineDriver {
  /** Starts the machine of an instance. `changed` is called back when its state changes. */
  start(instance: VirtualMachineInstance, changed: () => void): Machine
  /** Returns the machine of an instance that an earlier run of the node started. */
  resume(instance: VirtualMachineInstance, changed: () => void): Machine
}

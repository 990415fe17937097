import type { ObjectRef } from '@orrery/kinds'
import type { KubeClient, Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { NodeGate } from './gate.js'
import { machineName, type Resources } from './kubelet/machine/machine.js'
import type { Programs } from './kubelet/programs/program.js'
import type { MachineImages } from './kubevirt/images/machine-image.js'

export interface NodeOptions {
  readonly client: KubeClient
  /** The directory for volumes and logs of pods. No other process may write to it. */
  readonly directory: string
  /** Defaults to the system clock. */
  readonly clock?: Clock
  /** Defaults to no logging. */
  readonly log?: Logger
  /** Defaults to the host name of the machine. */
  readonly name?: string
  /** Enables `kubectl logs`, `exec`, `attach`, `port-forward` and `top`. Defaults to none. */
  readonly gate?: NodeGate
  /** Images that run as processes of this machine. Defaults to none: all are played. */
  readonly programs?: Programs
  /** A JSON file with further programs, read again after each change. */
  readonly programFile?: string
  /**
   * A ConfigMap with further programs: each value is such a file. Users who can write it can run any command on this
   * machine. Defaults to none.
   */
  readonly programConfigMap?: ObjectRef
  /** The namespaces whose pods may run programs; the pods of others are played. Defaults to all. */
  readonly programNamespaces?: readonly string[]
  /** The URL of the API server for processes, such as `https://127.0.0.1:6443`. Defaults to none. */
  readonly server?: string
  /** Directories that `hostPath` volumes may mount. Defaults to none. */
  readonly hostPaths?: readonly string[]
  /**
   * Whether programs run in their own namespaces, isolated from the machine's files and processes: `auto` if the
   * machine supports it, `required` to fail the start if it does not, `off` never. Defaults to `auto`.
   */
  readonly isolation?: 'auto' | 'required' | 'off'
  /** Directories that no isolated program sees, besides `directory`: data of other nodes, keys. Defaults to none. */
  readonly hiddenDirectories?: readonly string[]
  /** Overrides the detected capacity of the machine: `{ cpu: '64' }`. */
  readonly capacity?: Resources
  /** Defaults to 1,000. */
  readonly maxPods?: number
  /** The CIDR for played pods. Defaults to `10.244.0.0/16`. */
  readonly podCidr?: string
  /** Labels in addition to those that every node has. */
  readonly labels?: Readonly<Record<string, string>>
  /** Whether to run the controllers of workloads, which a cluster needs once. Defaults to true. */
  readonly workloads?: boolean
  /**
   * Whether to run KubeVirt, which a cluster needs once: VirtualMachines, VirtualMachineInstances and DataVolumes. The
   * gate must serve it too. Defaults to false.
   */
  readonly kubevirt?: boolean
  /**
   * How KubeVirt's machines run: `auto` in QEMU if it is installed and the instance allows it, otherwise played; `required`
   * to fail the start without QEMU; `played` always. Defaults to `played`.
   */
  readonly machines?: 'auto' | 'required' | 'played'
  /** The disks and kernels of this machine that stand for container images. Defaults to none. */
  readonly machineImages?: MachineImages
  /** A JSON file with further machine images, read again after each change. */
  readonly machineImageFile?: string
  /** The grace period of processes and guests when the node stops. Defaults to 5 s. */
  readonly stopSeconds?: number
}

type Unset = 'gate' | 'machineImageFile' | 'programFile' | 'programConfigMap' | 'programNamespaces' | 'server'

/** The options with all defaults. */
export type ResolvedOptions = Required<Omit<NodeOptions, Unset>> & Pick<NodeOptions, Unset>

export function resolveOptions(options: NodeOptions): ResolvedOptions {
  return {
    clock: systemClock,
    log: silentLogger,
    name: machineName(),
    programs: {},
    hostPaths: [],
    isolation: 'auto',
    hiddenDirectories: [],
    capacity: {},
    maxPods: 1_000,
    podCidr: '10.244.0.0/16',
    labels: {},
    workloads: true,
    kubevirt: false,
    machines: 'played',
    machineImages: {},
    stopSeconds: 5,
    ...options,
  }
}

import type { ObjectRef } from '@orrery/kinds'
import type { KubeClient, Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { NodeGate } from './kubelet/gate.js'
import { machineName, type Resources } from './kubelet/machine/machine.js'
import type { Programs } from './kubelet/programs/program.js'

export interface NodeOptions {
  readonly client: KubeClient
  /** Where pods have their volumes and logs. Nobody else may write here. */
  readonly directory: string
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** Default the name of the machine. */
  readonly name?: string
  /** Lets `kubectl logs` and `kubectl top` in. Default: nobody is let in. */
  readonly gate?: NodeGate
  /** Images that run as processes of this machine. Default none: all are played. */
  readonly programs?: Programs
  /** A JSON file of further programs, read again when it changes. */
  readonly programFile?: string
  /**
   * A ConfigMap of further programs: each value is such a file. Whoever may write it may run anything on this machine.
   * Default none.
   */
  readonly programConfigMap?: ObjectRef
  /** Where processes reach the API server: `https://127.0.0.1:6443`. Default: they are not told. */
  readonly server?: string
  /** Directories that `hostPath` volumes may lead to. Default none. */
  readonly hostPaths?: readonly string[]
  /**
   * Whether programs run in namespaces of their own, apart from the machine's files and processes: `auto` where the machine
   * can, `required` to refuse to start where it cannot, `off` never. Default `auto`.
   */
  readonly isolation?: 'auto' | 'required' | 'off'
  /** Directories that no isolated program sees, beside `directory`: other nodes' data, keys. Default none. */
  readonly hiddenDirectories?: readonly string[]
  /** What the node says it has instead of what the machine has: `{ cpu: '64' }`. */
  readonly capacity?: Resources
  /** Default 1,000. */
  readonly maxPods?: number
  /** Addresses for played pods. Default `10.244.0.0/16`. */
  readonly podCidr?: string
  /** Labels beside those that every node has. */
  readonly labels?: Readonly<Record<string, string>>
  /** Whether to run the controllers of workloads, which a cluster needs once. Default true. */
  readonly workloads?: boolean
  /** How long processes have to end when the node stops. Default 5 s. */
  readonly stopSeconds?: number
}

type Unset = 'gate' | 'programFile' | 'programConfigMap' | 'server'

/** Options with every default filled in. */
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
    stopSeconds: 5,
    ...options,
  }
}

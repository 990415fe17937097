import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Clock,
  EventRecorder,
  Informers,
  type KubeClient,
  keepLease,
  type Logger,
  type ObjectRef,
  serverVersion,
  silentLogger,
  startControllers,
  systemClock,
} from '@orrery/kube'
import { ConfigMap, Node as NodeKind, Pod } from '@orrery/kube/kinds'
import type { NodeGate } from './kubelet/gate.js'
import { Kubelet } from './kubelet/kubelet.js'
import {
  allocatableOf,
  capacityOf,
  machineAddress,
  machineName,
  type Resources,
  systemInfo,
} from './kubelet/machine/machine.js'
import { PodAddresses } from './kubelet/machine/podaddresses.js'
import {
  createLease,
  LEASE_NAMESPACE,
  LEASE_SECONDS,
  nodeStatusController,
  registerNode,
} from './kubelet/machine/registration.js'
import { NodeMeter } from './kubelet/metrics/nodemeter.js'
import type { Programs } from './kubelet/programs/program.js'
import { ProgramBook } from './kubelet/programs/programbook.js'
import { workloadControllers } from './workloads/index.js'

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

/** A node at work. */
export interface Node {
  readonly name: string
  /** Stops all that it runs. The pods stay in the API, and go on when a node of this name and directory starts again. */
  stop(): Promise<void>
}

const LEASE_PERIOD = 10_000

/** Starts a node: registers it, runs the pods that are bound to it, and what makes pods of workloads. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { client, directory, clock = systemClock, log = silentLogger, name = machineName(), gate } = options
  const { workloads = true, capacity: given = {}, podCidr = '10.244.0.0/16', stopSeconds = 5 } = options
  const podsDirectory = join(directory, 'pods')
  const persistentDirectory = join(directory, 'persistent')
  await mkdir(podsDirectory, { recursive: true, mode: 0o700 })
  await mkdir(persistentDirectory, { recursive: true, mode: 0o700 })
  const capacity = await capacityOf(directory, options.maxPods ?? 1_000, given)
  const allocatable = allocatableOf(capacity, given)
  const address = machineAddress()
  const { gitVersion } = await serverVersion(client)
  const facts = { name, address, capacity, allocatable, info: systemInfo(name, gitVersion) }
  const registration = { facts, labels: options.labels ?? {}, podCidr }
  await createLease(client, await registerNode(client, registration))

  const informers = new Informers(client, { clock, log })
  const events = new EventRecorder(client, { controller: 'kubelet', instance: name, apiVersion: 'v1', clock, log })
  // The controllers of workloads look at all pods anyway: one copy of them does for both.
  const pods = informers.of(Pod, workloads ? {} : { fieldSelector: `spec.nodeName=${name}` })
  const nodes = informers.of(NodeKind, workloads ? {} : { fieldSelector: `metadata.name=${name}` })
  const kubelet = new Kubelet({
    client,
    clock,
    events,
    informers,
    pods,
    nodeName: name,
    programs: programBook(options, informers, log),
    addresses: new PodAddresses(podCidr),
    hostIP: address,
    podsDirectory,
    persistentDirectory,
    hostPaths: options.hostPaths ?? [],
    server: options.server,
    allocatable,
  })
  await informers.whenSynced()
  await kubelet.cleanUp()
  const specs = [kubelet.controller(), nodeStatusController(nodes, registration)]
  if (workloads)
    specs.push(...workloadControllers({ client, informers, clock, log, volumeDirectory: persistentDirectory }))
  const controllers = startControllers(specs, { client, clock, log })
  const stopping = new AbortController()
  const lease = keepLease(
    client,
    { namespace: LEASE_NAMESPACE, name },
    {
      signal: stopping.signal,
      holderIdentity: name,
      leaseDurationSeconds: LEASE_SECONDS,
      periodMilliseconds: LEASE_PERIOD,
      clock,
      log,
    },
  )
  const meter = new NodeMeter(name)
  const closeGate = gate?.open({
    now: () => clock.now(),
    find: (ref) => kubelet.find(ref),
    usage: () => meter.measure(kubelet.all(), clock.now()),
  })
  await controllers.whenRunning()
  return {
    name,
    async stop() {
      closeGate?.()
      stopping.abort()
      await controllers.stop()
      await kubelet.close(stopSeconds)
      await Promise.all([lease, events.close(), informers.close()])
    },
  }
}

function programBook(options: NodeOptions, informers: Informers, log: Logger): ProgramBook {
  const { programs = {}, programFile: file, programConfigMap: ref } = options
  if (ref === undefined) return new ProgramBook({ programs, file, configMap: undefined, log })
  const maps = informers.of(ConfigMap, { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` })
  return new ProgramBook({ programs, file, configMap: () => maps.get(ref), log })
}

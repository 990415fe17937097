import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ConfigMap, Node as NodeKind, PersistentVolume, Pod } from '@orrery/kinds'
import { Informers, startControllers } from '@orrery/kube'
import { serverVersion } from '@orrery/kube/discovery'
import { EventRecorder } from '@orrery/kube/events'
import { keepLease } from '@orrery/kube/lease'
import { type ClosingStep, closeAll } from '@orrery/kube/process'
import { Isolation } from './kubelet/isolation/isolation.js'
import { Kubelet } from './kubelet/kubelet.js'
import { allocatableOf, capacityOf, machineAddress, systemInfo } from './kubelet/machine/machine.js'
import type { NodeFacts } from './kubelet/machine/node-status.js'
import { PodAddresses } from './kubelet/machine/pod-addresses.js'
import {
  createLease,
  LEASE_NAMESPACE,
  LEASE_SECONDS,
  nodeStatusController,
  registerNode,
} from './kubelet/machine/registration.js'
import { NodeMeter } from './kubelet/metrics/node-meter.js'
import { ProgramRegistry } from './kubelet/programs/program-registry.js'
import { KubevirtContext } from './kubevirt/context.js'
import { kubevirtControllers } from './kubevirt/controllers.js'
import { MachineImageRegistry } from './kubevirt/images/machine-image-registry.js'
import { installKubevirt } from './kubevirt/install.js'
import type { MachineDriver } from './kubevirt/machine/machine.js'
import { Machines } from './kubevirt/machine/machines.js'
import { playedDriver } from './kubevirt/machine/played-machine.js'
import { SCHEDULABLE_LABEL } from './kubevirt/names.js'
import { endMachines, qemuDriver } from './kubevirt/qemu/driver.js'
import { findQemu } from './kubevirt/qemu/find-qemu.js'
import { RealTransfers } from './kubevirt/qemu/transfers.js'
import { type NodeOptions, type ResolvedOptions, resolveOptions } from './options.js'
import { workloadControllers } from './workloads/index.js'

/** A running node. */
export interface Node {
  readonly name: string
  /** Stops all processes. The pods stay in the API and resume when a node with this name and directory starts again. */
  stop(): Promise<void>
}

const LEASE_PERIOD = 10_000

/** Starts a node: registers it, and runs the kubelet and the controllers of workloads. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const resolved = resolveOptions(options)
  const cleanUp: ClosingStep[] = []
  const stop = () => closeAll(cleanUp)
  try {
    await start(resolved, cleanUp)
  } catch (error) {
    await stop()
    throw error
  }
  return { name: resolved.name, stop }
}

/** Starts the parts in order and adds a closing step for each. */
async function start(options: ResolvedOptions, cleanUp: ClosingStep[]): Promise<void> {
  const { client, clock, log, name, workloads, podCidr, directory } = options
  const podsDirectory = join(directory, 'pods')
  const persistentDirectory = join(directory, 'persistent')
  for (const path of [podsDirectory, persistentDirectory]) await mkdir(path, { recursive: true, mode: 0o700 })
  const { isolation, problem } = await isolationOf(options)
  const facts = { ...(await factsOf(options)), unisolated: problem }
  const runs = options.kubevirt ? { [SCHEDULABLE_LABEL]: 'true' } : {}
  const registration = { facts, labels: { ...runs, ...options.labels }, podCidr }
  if (options.kubevirt) await installKubevirt(client, log)
  await createLease(client, await registerNode(client, registration))

  const informers = new Informers(client, { clock, log })
  cleanUp.push(() => informers.close())
  // Separate informers, since objects of pods are watched only as long as pods use them.
  const objects = new Informers(client, { clock, log })
  cleanUp.push(() => objects.close())
  const recorder = (controller: string) => {
    const events = new EventRecorder(client, { controller, instance: name, apiVersion: 'v1', clock, log })
    cleanUp.push(() => events.close())
    return events
  }
  // The controllers of workloads watch all pods and nodes anyway, so the informers are shared.
  const pods = informers.of(Pod, workloads ? {} : { fieldSelector: `spec.nodeName=${name}` })
  const nodes = informers.of(NodeKind, workloads ? {} : { fieldSelector: `metadata.name=${name}` })
  const kubelet = new Kubelet({
    client,
    clock,
    events: recorder('kubelet'),
    informers: objects,
    pods,
    nodeName: name,
    programs: programRegistry(options, informers),
    addresses: new PodAddresses(podCidr),
    hostIP: facts.address,
    podsDirectory,
    persistentDirectory,
    hostPaths: options.hostPaths,
    server: options.server,
    isolation,
    allocatable: facts.allocatable,
  })
  await informers.whenSynced()
  await kubelet.cleanUp()
  cleanUp.push(() => kubelet.close(options.stopSeconds))

  const specs = [kubelet.controller(), nodeStatusController(nodes, registration)]
  if (workloads) {
    const volumes = informers.of(PersistentVolume)
    const forget = volumes.subscribe(({ before, after }) => {
      if (after !== undefined || before === undefined) return
      kubelet
        .removeVolume(before.metadata.name)
        .catch((error: unknown) => log.warn('Removing a volume failed', { error }))
    })
    cleanUp.push(forget)
    const volumeDirectory = persistentDirectory
    specs.push(...workloadControllers({ client, informers, clock, log, recorder, volumeDirectory }))
  }
  const runner = options.kubevirt ? await machineRunner(options, isolation) : undefined
  const machines = runner && new Machines(runner.driver)
  if (machines !== undefined) {
    const { transfers } = runner ?? {}
    cleanUp.push(() => machines.close(options.stopSeconds))
    cleanUp.push(() => transfers?.close())
    const common = { client, informers, clock, log, recorder, machines, transfers, nodeName: name }
    specs.push(...kubevirtControllers(new KubevirtContext(common)))
  }
  const controllers = startControllers(specs, { client, clock, log })
  cleanUp.push(() => controllers.stop())
  cleanUp.push(() => kubelet.abandon())
  cleanUp.push(holdLease(options))
  const meter = new NodeMeter(name)
  const usage = () => meter.measure(kubelet.all(), clock.now())
  const now = () => clock.now()
  const kubevirt = machines === undefined ? {} : { kubevirt: { client, machines, now } }
  const close = options.gate?.open({ now, find: (ref) => kubelet.find(ref), usage, ...kubevirt })
  if (close !== undefined) cleanUp.push(close)
  await controllers.whenRunning()
}

/** What runs or plays the machines of KubeVirt, and fills their volumes. */
interface MachineRunner {
  readonly driver: MachineDriver
  readonly transfers?: RealTransfers
}

async function machineRunner(options: ResolvedOptions, isolation: Isolation | undefined): Promise<MachineRunner> {
  const { machines, client, clock, log, directory, hostPaths } = options
  const machinesDirectory = join(directory, 'machines')
  const transfersDirectory = join(directory, 'transfers')
  for (const one of [machinesDirectory, transfersDirectory]) await endMachines(one)
  if (machines === 'played') return { driver: playedDriver(clock) }
  if (machines === 'required') {
    const qemu = await findQemu()
    if ('why' in qemu) throw new Error(`virtual machines cannot run on this machine: ${qemu.why}`)
  }
  const images = new MachineImageRegistry(options.machineImages, options.machineImageFile, log)
  const persistentDirectory = join(directory, 'persistent')
  const common = { client, clock, images, isolation, persistentDirectory, hostPaths }
  return {
    driver: qemuDriver({ ...common, directory: machinesDirectory }),
    transfers: new RealTransfers({ ...common, directory: transfersDirectory }),
  }
}

/** Returns the isolation of programs, or why there is none. */
async function isolationOf(options: ResolvedOptions): Promise<{ isolation?: Isolation; problem?: string }> {
  const { isolation: wanted, directory, hiddenDirectories, log } = options
  if (wanted === 'off') return { problem: 'isolation is disabled' }
  try {
    return { isolation: await Isolation.probe([directory, ...hiddenDirectories]) }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    if (wanted === 'required') throw new Error(`programs cannot be isolated on this machine: ${problem}`)
    log.warn('Programs in pods are not isolated from this machine', { reason: problem })
    return { problem }
  }
}

async function factsOf({
  client,
  name,
  directory,
  maxPods,
  capacity: given,
}: ResolvedOptions): Promise<Omit<NodeFacts, 'unisolated'>> {
  const capacity = await capacityOf(directory, maxPods, given)
  const { gitVersion } = await serverVersion(client)
  return {
    name,
    address: machineAddress(),
    capacity,
    allocatable: allocatableOf(capacity, given),
    info: systemInfo(name, gitVersion),
  }
}

/** Renews the node lease. Returns a function that stops the renewal. */
function holdLease({ client, clock, log, name }: ResolvedOptions): ClosingStep {
  const kept = keepLease(
    client,
    { namespace: LEASE_NAMESPACE, name },
    {
      holderIdentity: name,
      leaseDurationSeconds: LEASE_SECONDS,
      periodMilliseconds: LEASE_PERIOD,
      clock,
      log,
    },
  )
  return async () => {
    await kept.stop()
  }
}

function programRegistry(options: ResolvedOptions, informers: Informers): ProgramRegistry {
  const { programs, programFile: file, programConfigMap: ref, programNamespaces: namespaces, log } = options
  if (ref === undefined) return new ProgramRegistry({ programs, file, configMap: undefined, namespaces, log })
  const maps = informers.of(ConfigMap, { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` })
  return new ProgramRegistry({ programs, file, configMap: () => maps.get(ref), namespaces, log })
}

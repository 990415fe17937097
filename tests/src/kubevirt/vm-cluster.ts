import type { TestContext } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import { type ApiObject, Event, type Kind, type ObjectRef } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { NodeGate, type NodeOptions, startNode } from '@orrery/node'
import { type NewVirtualMachine, VirtualMachine, VirtualMachineInstance } from '@orrery/node/kubevirt'
import { afterwards, temporaryDirectory } from '../support/server.js'

export const namespace = 'default'
export const NODE_NAME = 'node-1'

/** An embedded cluster with KubeVirt, in this process, with a fake clock. */
export class VmCluster {
  readonly client: KubeClient
  readonly clock: FakeClock
  /** Clients of other users. */
  readonly clientOf: (username: string, groups?: readonly string[], onWarning?: (message: string) => void) => KubeClient
  readonly restart: () => Promise<void>

  constructor(parts: Pick<VmCluster, 'client' | 'clock' | 'clientOf' | 'restart'>) {
    this.client = parts.client
    this.clock = parts.clock
    this.clientOf = parts.clientOf
    this.restart = parts.restart
  }

  /** Waits until a condition holds, while the clock advances. */
  async eventually(what: string, holds: () => boolean | Promise<boolean>, step = 20): Promise<void> {
    await eventually(what, holds, { intervalMilliseconds: 2, meanwhile: () => this.clock.advance(step) })
  }

  /** Waits until an object matches, and returns it. */
  async until<T extends ApiObject>(
    kind: Kind<T, object>,
    name: string,
    what: string,
    holds: (object: T) => boolean,
    step = 20,
  ): Promise<T> {
    let latest: T | undefined
    try {
      await this.eventually(
        what,
        async () => {
          latest = await this.client.find(kind, refOf(name))
          return latest !== undefined && holds(latest)
        },
        step,
      )
    } catch (error) {
      throw new Error(`${kind.kind} ${name}: ${(error as Error).message}\n${JSON.stringify(latest, undefined, 1)}`)
    }
    return latest as T
  }

  /** Waits until a VirtualMachine has a printable status. */
  vmIs(name: string, printableStatus: string, step = 20): Promise<VirtualMachine> {
    return this.until(
      VirtualMachine,
      name,
      `it is ${printableStatus}`,
      ({ status }) => status?.printableStatus === printableStatus,
      step,
    )
  }

  instance(name: string): Promise<VirtualMachineInstance> {
    return this.client.get(VirtualMachineInstance, refOf(name))
  }

  async gone(kind: Kind<ApiObject, object>, name: string, step = 20): Promise<void> {
    const isGone = async () => (await this.client.find(kind, refOf(name))) === undefined
    await this.eventually(`${kind.kind} ${name} is gone`, isGone, step)
  }

  /** Calls a subresource. Resolves with the status code and the body. */
  async call(
    resource: 'virtualmachines' | 'virtualmachineinstances',
    name: string,
    subresource: string,
    options?: object,
    { client = this.client, method = 'PUT', version = 'v1' } = {},
  ): Promise<{ status: number; body: string }> {
    const path = `/apis/subresources.kubevirt.io/${version}/namespaces/${namespace}/${resource}/${name}/${subresource}`
    const given = options === undefined ? {} : { body: Buffer.from(JSON.stringify(options)) }
    const response = await client.raw({ method, path, headers: { 'content-type': 'application/json' }, ...given })
    let body = ''
    for await (const piece of response.body) body += Buffer.from(piece).toString('utf8')
    return { status: response.status, body }
  }

  async reasons(name: string): Promise<string[]> {
    const { items } = await this.client.list(Event, { namespace })
    return items.flatMap(({ regarding, reason }) => (regarding?.name === name ? (reason ?? []) : []))
  }
}

export function refOf(name: string): ObjectRef {
  return { namespace, name }
}

export interface VmServer {
  readonly server: ApiServer
  /** Restarts the node. */
  readonly restart: () => Promise<void>
}

interface VmServerOptions {
  readonly listens?: boolean
  readonly clock?: Clock
  /** Which machines run. Defaults to none: all are played. */
  readonly machines?: Partial<Pick<NodeOptions, 'machines' | 'machineImages' | 'isolation' | 'directory'>>
}

/** Starts an API server with KubeVirt, and a node. */
export async function startVmServer(
  t: TestContext,
  { listens = false, clock = systemClock, machines = {} }: VmServerOptions,
): Promise<VmServer> {
  const gate = new NodeGate({ kubevirt: true })
  const server = await startApiServer({
    host: listens ? '127.0.0.1' : (false as const),
    clock,
    connectors: gate.connectors,
    groups: gate.groups,
    admission: gate.admission,
    namespaceDeletionGraceSeconds: 0,
  })
  afterwards(t, () => server.close())
  const directory = await temporaryDirectory(t)
  const common = { client: server.client(), clock, gate, directory, name: NODE_NAME, stopSeconds: 1, kubevirt: true }
  const given = { ...common, ...machines }
  let node = await startNode(given)
  afterwards(t, () => node.stop())
  const restart = async () => {
    await node.stop()
    node = await startNode(given)
  }
  return { server, restart }
}

export async function startVmCluster(t: TestContext): Promise<VmCluster> {
  const clock = new FakeClock(new Date())
  const { server, restart } = await startVmServer(t, { clock })
  return new VmCluster({
    client: server.client(),
    clock,
    clientOf: (username, groups = [], onWarning = () => undefined) =>
      server.client({
        identity: { username, uid: '', groups: ['system:authenticated', ...groups], extra: {} },
        onWarning,
      }),
    restart,
  })
}

interface VmOptions {
  readonly runStrategy?: string
  readonly annotations?: Record<string, string>
  readonly spec?: Partial<NewVirtualMachine['spec']['template']['spec']>
  readonly dataVolumeTemplates?: NewVirtualMachine['spec']['dataVolumeTemplates']
}

/** A VirtualMachine with a container disk. Annotations are those of its instances. */
export function vmDraft(name: string, options: VmOptions = {}): NewVirtualMachine {
  const { runStrategy = 'Always', annotations, spec = {}, dataVolumeTemplates } = options
  return {
    metadata: { name, namespace },
    spec: {
      runStrategy,
      template: {
        metadata: { labels: { app: name }, ...(annotations !== undefined && { annotations }) },
        spec: {
          terminationGracePeriodSeconds: 30,
          domain: {
            cpu: { cores: 2 },
            memory: { guest: '1Gi' },
            devices: {
              disks: [{ name: 'root', disk: { bus: 'virtio' } }],
              interfaces: [{ name: 'default', masquerade: {} }],
            },
          },
          networks: [{ name: 'default', pod: {} }],
          volumes: [{ name: 'root', containerDisk: { image: 'example.com/disk:1' } }],
          ...spec,
        },
      },
      ...(dataVolumeTemplates !== undefined && { dataVolumeTemplates }),
    },
  }
}

import type { TestContext } from 'node:test'
import { startApiServer } from '@orrery/apiserver'
import { type ContainerStatus, type DraftOf, Event, type ObjectRef, Pod } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { type Node, NodeGate, type NodeOptions, startNode } from '@orrery/node'
import type { Program } from '@orrery/node/programs'
import { afterwards, temporaryDirectory } from '../support/server.js'

/** A cluster of one node, in this process. */
export interface NodeCluster {
  readonly client: KubeClient
  readonly clock: FakeClock
  readonly gate: NodeGate
  readonly directory: string
  readonly server: string
  /** The administrator's kubeconfig. */
  readonly kubeconfig: string
  /** The current node. */
  node(): Node
  /** Restarts the node. */
  restart(options?: Partial<NodeOptions>): Promise<void>
  /** The text of a container's log. */
  logs(pod: string, query?: string): Promise<string>
}

export const NODE_NAME = 'node-1'

/** A script that does not end. */
export const FOREVER = 'setInterval(() => {}, 1e6)'

/** Starts an API server and a node on it, with a fake clock. `listens` opens a port for processes. */
export async function startCluster(
  t: TestContext,
  options: Partial<NodeOptions> & { readonly listens?: boolean } = {},
): Promise<NodeCluster> {
  const { listens = false, ...nodeOptions } = options
  const clock = new FakeClock(new Date())
  const gate = new NodeGate()
  const host = listens ? '127.0.0.1' : (false as const)
  const server = await startApiServer({ host, clock: clock as Clock, connectors: gate.connectors, groups: gate.groups })
  afterwards(t, () => server.close())
  const directory = await temporaryDirectory(t)
  const client = server.client()
  const given = { client, clock, gate, directory, name: NODE_NAME, workloads: false, stopSeconds: 1 }
  const at = listens ? { server: server.url } : {}
  let node = await startNode({ ...given, ...at, ...nodeOptions })
  afterwards(t, () => node.stop())
  return {
    client,
    clock,
    gate,
    directory,
    server: server.url,
    kubeconfig: await server.kubeconfig('cluster'),
    node: () => node,
    async restart(changed = {}) {
      await node.stop()
      node = await startNode({ ...given, ...at, ...nodeOptions, ...changed })
    },
    async logs(pod, query = '') {
      const path = `/api/v1/namespaces/default/pods/${pod}/log${query}`
      const response = await client.raw({ method: 'GET', path })
      let text = ''
      for await (const piece of response.body) text += Buffer.from(piece).toString('utf8')
      return text
    },
  }
}

/** A program that runs the script given as its only argument. */
export const SCRIPT: Program = { command: [process.execPath, '-e'] }

type PodSpec = DraftOf<typeof Pod>['spec']

/** Creates a pod that is bound to the node. */
export function createPod(
  { client }: Pick<NodeCluster, 'client'>,
  name: string,
  spec: PodSpec,
  metadata: DraftOf<typeof Pod>['metadata'] = {},
): Promise<Pod> {
  return client.create(Pod, {
    metadata: { namespace: 'default', name, ...metadata },
    spec: { nodeName: NODE_NAME, terminationGracePeriodSeconds: 30, ...spec },
  })
}

/** Creates a pod of one container that is a script. */
export function createScript(
  cluster: Pick<NodeCluster, 'client'>,
  name: string,
  script: string,
  spec: Partial<PodSpec> = {},
  container: Partial<PodSpec['containers'][number]> = {},
): Promise<Pod> {
  return createPod(cluster, name, {
    containers: [{ name: 'main', image: 'script', args: [script], ...container }],
    ...spec,
  })
}

/** Waits until a pod matches, advancing the clock on request. Resolves with the pod. */
export async function whenPod(
  { client, clock }: Pick<NodeCluster, 'client' | 'clock'>,
  name: string,
  holds: (pod: Pod) => boolean,
  stepMilliseconds = 0,
): Promise<Pod> {
  const ref: ObjectRef = { namespace: 'default', name }
  let found: Pod | undefined
  try {
    await eventually(`pod ${name}`, async () => {
      found = await client.find(Pod, ref)
      if (found !== undefined && holds(found)) return true
      if (stepMilliseconds > 0) clock.advance(stepMilliseconds)
      return false
    })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${JSON.stringify(found?.status, null, 1)}`)
  }
  return found as Pod
}

export function isReady(pod: Pod): boolean {
  return pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

/** The status of a container; empty if there is none yet. */
export function containerOf(pod: Pod, name = 'main'): ContainerStatus {
  const { containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {}
  const found = [...containerStatuses, ...initContainerStatuses].find((status) => status.name === name)
  return found ?? { name, ready: false, restartCount: 0, image: '', imageID: '' }
}

/** Whether an event of this kind was recorded. */
export async function hasEvent(
  { client }: Pick<NodeCluster, 'client'>,
  reason: string,
  note: RegExp,
): Promise<boolean> {
  const { items } = await client.list(Event, { namespace: 'default' })
  return items.some((event) => event.reason === reason && note.test(event.note ?? ''))
}

/** Waits for an event: it is recorded after its cause. */
export async function whenEvent(cluster: Pick<NodeCluster, 'client'>, reason: string, note: RegExp): Promise<void> {
  await eventually(`${reason}: ${note}`, () => hasEvent(cluster, reason, note))
}

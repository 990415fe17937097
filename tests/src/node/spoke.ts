import type { TestContext } from 'node:test'
import { type ApiServer, startApiServer } from '@orrery/apiserver'
import {
  type ApiObject,
  type Container,
  type Draft,
  type Kind,
  Node,
  type ObjectRef,
  type PodTemplateSpec,
} from '@orrery/kinds'
import { Informers, type KubeClient, type Logger, startControllers } from '@orrery/kube'
import type { ControllerGroup } from '@orrery/kube/controller'
import { silentLogger } from '@orrery/kube/log'
import { eventually, FakeClock } from '@orrery/kube/testing'
import { workloadControllers } from '@orrery/node'
import { afterwards } from '../support/server.js'
import { type PlayPod, playedKubelet } from './played-kubelet.js'

export const namespace = 'default'

export interface SpokeOptions {
  /** Names of nodes. Default one. */
  readonly nodes?: readonly string[]
  /** The phase of a pod on a node. Default: it runs and is ready. */
  readonly play?: PlayPod
  readonly log?: Logger
}

/** A cluster in this process: its API, its controllers, nodes that only report pods as running, and a fake clock. */
export class Spoke {
  readonly clock: FakeClock
  readonly server: ApiServer
  readonly client: KubeClient
  readonly informers: Informers
  readonly group: ControllerGroup

  constructor(server: ApiServer, clock: FakeClock, { play, log = silentLogger }: SpokeOptions) {
    this.server = server
    this.clock = clock
    this.client = server.client()
    this.informers = new Informers(this.client, { clock, log, freeze: true })
    const { client, informers } = this
    this.group = startControllers(
      [...workloadControllers({ client, informers, clock, log }), playedKubelet(informers, play)],
      { client, clock, log },
    )
  }

  /** Waits until a condition holds, while the clock advances a little for retries. */
  async eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    await eventually(what, holds, {
      intervalMilliseconds: 2,
      meanwhile: () => this.clock.advance(5),
    })
  }

  /** Waits until an object matches, and returns it. */
  async until<T extends ApiObject>(
    kind: Kind<T, object>,
    name: string,
    what: string,
    holds: (object: T) => boolean,
  ): Promise<T> {
    const ref: ObjectRef = kind.scope === 'Cluster' ? { name } : { namespace, name }
    let latest: T | undefined
    try {
      await this.eventually(what, async () => {
        latest = await this.client.find(kind, ref)
        return latest !== undefined && holds(latest)
      })
    } catch (error) {
      throw new Error(`${kind.kind} ${name}: ${(error as Error).message}\n${JSON.stringify(latest, undefined, 1)}`)
    }
    return latest as T
  }

  /** The objects of a kind that have a label. */
  async list<T extends ApiObject>(kind: Kind<T, object>, labelSelector = 'app'): Promise<T[]> {
    return (await this.client.list(kind, { namespace, labelSelector })).items
  }
}

export async function startSpoke(t: TestContext, options: SpokeOptions = {}): Promise<Spoke> {
  const clock = new FakeClock(new Date('2030-01-01T00:00:00Z'))
  const server = await startApiServer({ host: false, clock })
  afterwards(t, () => server.close())
  const client = server.client()
  for (const name of options.nodes ?? ['node-1']) await addNode(client, name)
  const spoke = new Spoke(server, clock, options)
  afterwards(t, async () => {
    await spoke.group.stop()
    await spoke.informers.close()
  })
  await spoke.group.whenRunning()
  return spoke
}

export async function addNode(client: KubeClient, name: string, changes: Partial<Draft<Node>> = {}): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, ...changes.metadata?.labels }
  const node = await client.create(Node, { ...changes, metadata: { name, labels } })
  const amounts = { cpu: '4', memory: '8Gi', pods: '110' }
  const status = {
    capacity: amounts,
    allocatable: amounts,
    conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
  }
  await client.patch(Node, node.metadata, { status }, { subresource: 'status' })
}

/** A template for pods labelled `app: <app>`. */
export function template(app: string, container: Partial<Container> = {}): PodTemplateSpec {
  return {
    metadata: { labels: { app } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: `${app}:1`, ...container }] },
  }
}

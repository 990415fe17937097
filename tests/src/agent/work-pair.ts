import type { TestContext } from 'node:test'
import { KubeSource, type KubeSourceOptions, type StartWorkOptions, startWork, type WorkAgent } from '@orrery/agent'
import { AppliedManifestWork, type ManifestStatus, ManifestWork, type NewManifestWorkSpec } from '@orrery/api'
import type { ApiServer } from '@orrery/apiserver'
import {
  type ApiObject,
  type Condition,
  type ConfigMap,
  CustomResourceDefinition,
  type Kind,
  type KubeObject,
  Namespace,
  type ObjectRef,
} from '@orrery/kinds'
import { findCondition } from '@orrery/kinds/values'
import { createLogger, Informers, KubeClient } from '@orrery/kube'
import type { HttpRequest, HttpResponse, Transport } from '@orrery/kube/client'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { eventually } from '@orrery/kube/testing'
import { startPreparedServer } from '../support/prepared-server.js'

export const CLUSTER = 'cluster1'
export const HUB_SERVER = 'https://hub.example:6443'

export interface PairOptions {
  readonly clock?: Clock
}

/** Options of the agent of a pair. */
export type PairAgentOptions = Partial<KubeWorkOptions>

export interface Requested {
  readonly method: string
  readonly path: string
  readonly status: number
}

/** One API server of a pair, with the requests of the agent. */
export class Side {
  /** The administrator's client. */
  readonly client: KubeClient
  /** The agent's client. */
  readonly forAgent: KubeClient
  readonly requests: Requested[] = []
  /** Responds instead of the server, or returns undefined to let it respond. */
  fault: ((request: HttpRequest) => Promise<HttpResponse> | undefined) | undefined
  readonly #server: ApiServer

  constructor(server: ApiServer) {
    this.#server = server
    this.client = server.client()
    this.forAgent = this.as(this.client.transport)
  }

  /** A client for an agent that records its requests. */
  as(transport: Transport): KubeClient {
    return new KubeClient({
      request: async (request) => {
        const response = await (this.fault?.(request) ?? transport.request(request))
        this.requests.push({ method: request.method, path: request.path, status: response.status })
        return response
      },
    })
  }

  /** A client for an agent with another user. */
  asUser(username: string, ...groups: string[]): KubeClient {
    const identity = { username, uid: '', groups: [...groups, 'system:authenticated'], extra: {} }
    return this.as(this.#server.client({ identity }).transport)
  }

  /** The writes of the agent since the last call. */
  takeWrites(): Requested[] {
    const writes = this.requests.filter(({ method }) => method !== 'GET')
    this.requests.length = 0
    return writes
  }

  async when<T extends ApiObject>(
    kind: Kind<T, object>,
    ref: ObjectRef,
    holds: (object: T) => boolean = () => true,
  ): Promise<T> {
    let found: T | undefined
    const isWanted = async () => {
      found = await this.client.find(kind, ref)
      return found !== undefined && holds(found)
    }
    await eventually(`${kind.kind} ${ref.name} is as wanted`, isWanted, { seen: () => found })
    return found as T
  }

  async whenGone<T extends ApiObject>(kind: Kind<T, object>, ref: ObjectRef): Promise<void> {
    const isGone = async () => (await this.client.find(kind, ref)) === undefined
    await eventually(`${kind.kind} ${ref.name} is gone`, isGone)
  }
}

/** A hub and a cluster in the process, and work agents between them. */
export class WorkPair {
  readonly hub: Side
  readonly spoke: Side
  readonly log: string[] = []
  readonly #t: Pick<TestContext, 'after'>
  readonly #clock: Clock

  private constructor(t: Pick<TestContext, 'after'>, clock: Clock, hub: ApiServer, spoke: ApiServer) {
    this.#t = t
    this.#clock = clock
    this.hub = new Side(hub)
    this.spoke = new Side(spoke)
  }

  static async start(t: Pick<TestContext, 'after'>, { clock = systemClock }: PairOptions = {}): Promise<WorkPair> {
    const [hub, spoke] = await Promise.all([
      startPreparedServer('works', { host: false, clock, namespaceDeletionGraceSeconds: 0 }),
      startPreparedServer('spoke', { host: false, clock, namespaceDeletionGraceSeconds: 0 }),
    ])
    t.after(() => Promise.all([hub.close(), spoke.close()]))
    const pair = new WorkPair(t, clock, hub, spoke)
    await pair.hub.client.create(Namespace, { metadata: { name: CLUSTER } })
    return pair
  }

  /** Starts an agent, which is closed before the servers. */
  async startAgent(options: PairAgentOptions = {}): Promise<WorkAgent> {
    const { hub = this.hub.forAgent, hubServer = HUB_SERVER, ...rest } = options
    const log = createLogger({ level: 'debug', format: 'text', write: (line) => this.log.push(line) })
    const agent = await startKubeWork({
      hub,
      hubServer,
      clusterName: CLUSTER,
      spoke: this.spoke.forAgent,
      clock: this.#clock,
      log,
      ...rest,
    })
    this.#t.after(() => agent.close())
    await agent.whenRunning()
    return agent
  }

  createWork(
    name: string,
    manifests: readonly object[],
    spec: Omit<NewManifestWorkSpec, 'workload'> = {},
    labels?: Record<string, string>,
  ): Promise<ManifestWork> {
    const workload = { manifests: manifests as KubeObject[] }
    const metadata = { namespace: CLUSTER, name, ...(labels !== undefined && { labels }) }
    return this.hub.client.create(ManifestWork, { metadata, spec: { workload, ...spec } } as never)
  }

  /** Changes the spec of a work. */
  changeWork(name: string, spec: object): Promise<ManifestWork> {
    return this.hub.client.patch(ManifestWork, { namespace: CLUSTER, name }, { spec })
  }

  async deleteWork(name: string): Promise<void> {
    await this.hub.client.delete(ManifestWork, { namespace: CLUSTER, name })
  }

  whenWork(name: string, holds: (work: ManifestWork) => boolean): Promise<ManifestWork> {
    return this.hub.when(ManifestWork, { namespace: CLUSTER, name }, holds)
  }

  whenWorkGone(name: string): Promise<void> {
    return this.hub.whenGone(ManifestWork, { namespace: CLUSTER, name })
  }

  /** The work, as soon as its latest spec is applied. */
  whenApplied(name: string): Promise<ManifestWork> {
    return this.whenWork(name, isApplied)
  }

  /** The AppliedManifestWork of a work. */
  async record(work: string): Promise<AppliedManifestWork | undefined> {
    const { items } = await this.spoke.client.list(AppliedManifestWork)
    return items.find(({ spec }) => spec?.manifestWorkName === work)
  }
}

export interface KubeWorkOptions extends Omit<StartWorkOptions, 'source'>, Omit<KubeSourceOptions, 'informers'> {
  /** The agent's client for the hub. */
  readonly hub: KubeClient
}

/** Starts a work agent on the API of a hub, and closes its source with it. */
export async function startKubeWork(options: KubeWorkOptions): Promise<WorkAgent> {
  const { hub, hubServer, clusterName, clock = systemClock } = options
  const informers = new Informers(hub, { clock })
  const agent = await startWork({ ...options, source: new KubeSource({ informers, hubServer, clusterName }) })
  return {
    whenRunning: () => agent.whenRunning(),
    get health() {
      return agent.health
    },
    async close() {
      await agent.close()
      await informers.close()
    },
  }
}

/** Installs CRDs. */
export async function serve(side: Side, crds: readonly { metadata: { name?: string } }[]): Promise<void> {
  for (const crd of crds) {
    await side.client.create(CustomResourceDefinition, crd as never)
    await side.when(CustomResourceDefinition, { name: crd.metadata.name ?? '' }, ({ status }) =>
      (status?.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True'),
    )
  }
}

/** Whether the latest spec of a work is applied completely. */
export function isApplied(work: ManifestWork): boolean {
  return says(work, 'Applied', 'True')
}

/** Whether a work has a condition for its latest generation. */
export function says({ metadata, status }: ManifestWork, type: string, value: string): boolean {
  const condition = findCondition(status?.conditions, type)
  return condition?.status === value && condition.observedGeneration === metadata.generation
}

/** The status of a manifest. */
export function manifestOf(work: ManifestWork, ordinal: number): ManifestStatus | undefined {
  return work.status?.resourceStatus?.manifests?.find(({ resourceMeta }) => resourceMeta.ordinal === ordinal)
}

/** The `Applied` condition of a manifest. */
export function appliedOf(work: ManifestWork, ordinal: number): Condition | undefined {
  return findCondition(manifestOf(work, ordinal)?.conditions, 'Applied')
}

/** A ConfigMap manifest. */
export function configMap(name: string, data: Record<string, string>, more: object = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'default', name, ...more }, data }
}

/** A Deployment manifest. */
export function deployment(replicas: number, image: string): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: inDefault('web'),
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' }, creationTimestamp: null },
        spec: { containers: [{ name: 'web', image }] },
      },
    },
  }
}

export const inDefault = (name: string) => ({ namespace: 'default', name })

export function holdsData(data: Record<string, string>): (map: ConfigMap) => boolean {
  return (map) => JSON.stringify(map.data) === JSON.stringify(data)
}

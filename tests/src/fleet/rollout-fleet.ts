import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { WorkAgent } from '@orrery/agent'
import { ManifestWork, ManifestWorkReplicaSet, type NewRolloutStrategy, REPLICA_SET_LABEL } from '@orrery/api'
import { ConfigMap, Deployment, type KubeObject, Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { HUB_SERVER, startKubeWork } from '../agent/work-pair.js'
import { HubServer } from '../hub/hub-server.js'
import {
  changeTemplate,
  condition,
  createSet,
  decide,
  FEATURES,
  type Group,
  NAMESPACE,
  withClusters,
} from '../hub/works.js'
import { startPreparedServer } from '../support/prepared-server.js'
import { afterwards } from '../support/server.js'

type Test = Pick<TestContext, 'after'>

/** The objects of a work's version, besides a ConfigMap with the version. */
export interface Wants {
  /** A namespace that the cluster must have: objects in it cannot be applied before. */
  readonly namespace?: string
  /** A Deployment, which the test makes ready. */
  readonly deployment?: boolean
}

interface Spoke {
  readonly client: KubeClient
  readonly agent: WorkAgent
}

/** A hub, and clusters with agents that apply its works, all in the process with one clock. */
export class RolloutFleet {
  readonly hub: HubServer
  readonly #spokes = new Map<string, Spoke>()

  private constructor(hub: HubServer) {
    this.hub = hub
  }

  static async start(t: Test, ...clusters: readonly string[]): Promise<RolloutFleet> {
    const hub = await HubServer.start({ after: (step: () => Promise<void>) => afterwards(t, step) } as Test, {
      features: FEATURES,
    })
    await withClusters(hub, ...clusters)
    const fleet = new RolloutFleet(hub)
    await Promise.all(clusters.map((cluster) => fleet.#addSpoke(t, cluster)))
    // Retries of discovery depend on the clock.
    await hub.eventually('all agents run', async () => fleet.#agents.every(isRunning))
    return fleet
  }

  async #addSpoke(t: Test, cluster: string): Promise<void> {
    const { clock } = this.hub
    const server = await startPreparedServer('spoke', { host: false, clock })
    afterwards(t, () => server.close())
    const client = server.client()
    const agent = await startKubeWork({
      hub: this.hub.asAgent(cluster),
      hubServer: HUB_SERVER,
      clusterName: cluster,
      spoke: client,
      clock,
    })
    afterwards(t, () => agent.close())
    this.#spokes.set(cluster, { client, agent })
  }

  get #agents(): WorkAgent[] {
    return [...this.#spokes.values()].map(({ agent }) => agent)
  }

  /** The client of a cluster. */
  cluster(name: string): KubeClient {
    return (this.#spokes.get(name) as Spoke).client
  }

  /** A replica set whose version 1 is on all clusters. Its placement and ConfigMap have the same name. */
  async deployed(name: string, ...groups: readonly Group[]): Promise<ReplicaSetOfFleet> {
    await decide(this.hub, name, ...groups)
    await createSet(this.hub, name, { placements: [name], template: templateOf(name, '1') })
    const set = new ReplicaSetOfFleet(this, name)
    await set.isComplete()
    return set
  }

  /** The clusters with a version of a ConfigMap, in order. */
  async clustersWith(name: string, version: string): Promise<string[]> {
    const found = await Promise.all(
      [...this.#spokes].map(async ([cluster, { client }]) => {
        const map = await client.find(ConfigMap, { namespace: 'default', name })
        return map?.data?.version === version ? [cluster] : []
      }),
    )
    return found.flat().sort()
  }

  /** Waits until everything has settled, on the hub and on clusters: for what must not happen. */
  async settle(): Promise<void> {
    await this.hub.settle()
    try {
      await this.hub.eventually('no agent has anything to do', async () => this.#agents.every(isIdle))
    } catch (error) {
      const busy = this.#agents.flatMap(({ health }) => health.filter(({ ready, running }) => ready + running > 0))
      throw new Error(`${(error as Error).message}: ${JSON.stringify(busy)}`)
    }
    await this.hub.settle()
  }
}

/** A replica set of a fleet, by name. */
export class ReplicaSetOfFleet {
  readonly #fleet: RolloutFleet
  readonly #name: string

  constructor(fleet: RolloutFleet, name: string) {
    this.#fleet = fleet
    this.#name = name
  }

  get #hub(): HubServer {
    return this.#fleet.hub
  }

  get ref() {
    return { namespace: NAMESPACE, name: this.#name }
  }

  /** Starts to roll out a version with a strategy. */
  async rollOut(version: string, rolloutStrategy: NewRolloutStrategy, wants: Wants = {}): Promise<void> {
    const placementRefs = [{ name: this.#name, rolloutStrategy }]
    const spec = { manifestWorkTemplate: templateOf(this.#name, version, wants), placementRefs }
    await this.#hub.client.patch(ManifestWorkReplicaSet, this.ref, { spec: spec as never })
  }

  change(version: string, wants: Wants = {}): Promise<void> {
    return changeTemplate(this.#hub, this.#name, templateOf(this.#name, version, wants))
  }

  decide(...groups: readonly Group[]): Promise<void> {
    return decide(this.#hub, this.#name, ...groups)
  }

  /** Waits until exactly these clusters have a version, and checks that it stays so. */
  async isAt(version: string, ...clusters: readonly string[]): Promise<void> {
    const current = async () => (await this.#fleet.clustersWith(this.#name, version)).join()
    const wanted = clusters.join()
    const what = `${clusters} have version ${version} of ${this.#name}`
    await this.#hub.eventually(what, async () => (await current()) === wanted)
    await this.#fleet.settle()
    assert.equal(await current(), wanted, what)
  }

  /** Waits until the rollout is complete. */
  async isComplete(): Promise<void> {
    await condition(this.#hub, this.#name, 'PlacementRolledOut', 'Complete')
  }

  /** Waits until the rollout is in progress, with this reason. */
  async isUnderWay(why: RegExp): Promise<void> {
    await condition(this.#hub, this.#name, 'PlacementRolledOut', 'Progressing', why)
  }

  /** Advances the clock of the hub and all clusters. */
  async after(milliseconds: number): Promise<void> {
    this.#hub.clock.advance(milliseconds)
    await this.#fleet.settle()
  }

  /** Solves the problem that keeps a version from being applied on clusters. */
  async addNamespace(name: string, ...clusters: readonly string[]): Promise<void> {
    await Promise.all(clusters.map((cluster) => this.#fleet.cluster(cluster).create(Namespace, { metadata: { name } })))
  }

  /** Makes the Deployment of a version ready on clusters, as a node would. */
  async makeReady(...clusters: readonly string[]): Promise<void> {
    const ref = { namespace: 'default', name: this.#name }
    for (const cluster of clusters) {
      const client = this.#fleet.cluster(cluster)
      const { metadata } = await client.get(Deployment, ref)
      const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 }
      const status = { observedGeneration: metadata.generation ?? 0, ...counts }
      await client.patch(Deployment, ref, { status }, { subresource: 'status' })
    }
  }

  async works(): Promise<ManifestWork[]> {
    const labelSelector = `${REPLICA_SET_LABEL}=${NAMESPACE}.${this.#name}`
    return (await this.#hub.client.list(ManifestWork, { labelSelector })).items
  }
}

function isRunning({ health }: WorkAgent): boolean {
  return health.every(({ state }) => state === 'running')
}

function isIdle({ health }: WorkAgent): boolean {
  return health.every(({ ready, running }) => ready === 0 && running === 0)
}

function templateOf(name: string, version: string, { namespace, deployment = false }: Wants = {}) {
  const map = (namespace: string, data: Record<string, string>): KubeObject =>
    ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data }) as KubeObject
  const app = { app: name }
  const pods = {
    metadata: { labels: app },
    spec: { containers: [{ name: 'main', image: `example.com/app:${version}` }] },
  }
  const workload = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'default', name },
    spec: { replicas: 1, selector: { matchLabels: app }, template: pods },
  }
  const manifests = [
    map('default', { version }),
    ...(namespace === undefined ? [] : [map(namespace, { version })]),
    ...(deployment ? [workload] : []),
  ]
  return { workload: { manifests: manifests as never } }
}

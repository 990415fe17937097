import type { TestContext } from 'node:test'
import {
  CLUSTER_SET_LABEL,
  ManagedCluster,
  ManagedClusterSet,
  ManagedClusterSetBinding,
  Placement,
  PlacementDecision,
} from '@orrery/api'
import { installHub } from '@orrery/hub'
import { Namespace } from '@orrery/kinds'
import type { KubeClient } from '@orrery/kube'
import { eventually } from '@orrery/kube/testing'
import { type Served, serve } from '../fleet-parts.js'
import type { Fleet } from './fleet.js'
import { loadFleet } from './load.js'
import type { Generated } from './placements.js'

const BARRIER = 'barrier'
const REF = { namespace: BARRIER, name: BARRIER }
const DECISION = { namespace: BARRIER, name: `${BARRIER}-decision-1` }

/** Starts the scheduler of a hub. Returns how to read its log. */
export type StartScheduler = (t: Pick<TestContext, 'after'>, served: Served) => Promise<() => string>

/**
 * A hub with a generated fleet and one scheduler.
 *
 * What a scheduler writes for a placement wakes it again, and with Balance it then sees what other placements selected meanwhile.
 * So a comparison needs to know when nothing more happens. The hub has a placement of its own for this, the barrier: a change of
 * its objects comes after all previous changes of objects of the same kind. OCM's scheduler has one worker and a queue that is
 * first in, first out. Once it has reacted to the change, it has also reacted to the previous ones.
 */
export class PlacementHub {
  readonly name: string
  readonly client: KubeClient
  readonly #log: () => string

  private constructor(name: string, client: KubeClient, log: () => string) {
    this.name = name
    this.client = client
    this.#log = log
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    name: string,
    fleet: Fleet,
    startScheduler: StartScheduler,
  ): Promise<PlacementHub> {
    const served = await serve(t)
    await installHub(served.client)
    await loadFleet(served.client, fleet)
    await createBarrier(served.client)
    const hub = new PlacementHub(name, served.client, await startScheduler(t, served))
    await hub.decided(REF)
    return hub
  }

  async create(placements: Iterable<Generated>): Promise<void> {
    for (const { draft } of placements) await this.client.create(Placement, draft)
  }

  /** Resolves when a placement has been decided for the first time. */
  async decided({ namespace, name }: { readonly namespace: string; readonly name: string }): Promise<void> {
    await this.#until(`decides placement ${namespace}/${name}`, async () => {
      const { status } = await this.client.get(Placement, { namespace, name })
      return status?.conditions !== undefined
    })
  }

  /**
   * Resolves when the scheduler has reacted to everything that was written for placements. OCM's may write the status of a
   * placement twice, from its cache. The second write is then a conflict, and is retried after 5 ms: so this waits twice.
   */
  async settled(): Promise<void> {
    await this.#passed()
    await this.#passed()
  }

  async #passed(): Promise<void> {
    const { uid } = (await this.client.get(PlacementDecision, DECISION)).metadata
    await this.client.delete(PlacementDecision, DECISION)
    await this.#until('restores a deleted decision', async () => {
      const found = await this.client.find(PlacementDecision, DECISION)
      return found !== undefined && found.metadata.uid !== uid
    })
  }

  /** Resolves when the scheduler has reacted to everything that was written for clusters, and then for placements. */
  async settledAfterClusterChange(): Promise<void> {
    const { metadata } = await this.client.get(ManagedCluster, { name: BARRIER })
    const isMember = metadata.labels?.[CLUSTER_SET_LABEL] === BARRIER
    const labels = { [CLUSTER_SET_LABEL]: isMember ? 'none' : BARRIER }
    await this.client.patch(ManagedCluster, { name: BARRIER }, { metadata: { labels } })
    await this.#until('notices that a cluster moved', async () => {
      const { status } = await this.client.get(Placement, REF)
      return (status?.numberOfSelectedClusters ?? 0) === (isMember ? 0 : 1)
    })
    await this.settled()
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    await eventually(`${this.name} ${what}`, holds, {
      timeoutMilliseconds: 120_000,
      seen: this.#log,
    })
  }
}

async function createBarrier(client: KubeClient): Promise<void> {
  const name = BARRIER
  await client.create(Namespace, { metadata: { name } })
  await client.create(ManagedClusterSet, { metadata: { name } })
  await client.create(ManagedClusterSetBinding, { metadata: REF, spec: { clusterSet: name } })
  await client.create(ManagedCluster, { metadata: { name } })
  await client.create(Placement, { metadata: REF, spec: {} })
}

import { ManagedClusterAddOn, type ManagedClusterAddOnStatus } from '@orrery/api'
import { type Finding, isNotFound, setConditions } from '@orrery/kinds/values'
import { type Informer, type Informers, type KubeClient, writeStatus } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Requeue } from '@orrery/kube/controller'
import { Contention } from '../contention.js'

/** The longest pause before a condition that others overwrote is written again, in milliseconds. */
const CONTENTION_PAUSE = 10_000

/** The add-ons of a cluster on its hub. */
export class Addons {
  readonly informer: Informer<ManagedClusterAddOn>
  readonly #hub: KubeClient
  readonly #clock: Clock
  readonly #contention: Contention

  constructor(informers: Informers, clusterName: string, clock: Clock) {
    this.informer = informers.of(ManagedClusterAddOn, { namespace: clusterName })
    this.#hub = informers.client
    this.#clock = clock
    this.#contention = new Contention(clock, CONTENTION_PAUSE)
  }

  /** Writes the status that `statusOf` returns, if it differs. Resolves with undefined if the add-on is gone. */
  async writeStatus(
    addon: ManagedClusterAddOn,
    statusOf: (current: ManagedClusterAddOnStatus) => ManagedClusterAddOnStatus,
    signal: AbortSignal,
  ): Promise<ManagedClusterAddOn | undefined> {
    try {
      return await writeStatus(this.#hub, ManagedClusterAddOn, addon, ({ status = {} }) => statusOf(status), { signal })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * Sets conditions. Resolves with when to try again, if others keep overwriting them: the hub overwrites those of a cluster that it
   * has not heard of.
   */
  async writeConditions(
    addon: ManagedClusterAddOn,
    findings: readonly Finding[],
    writer: string,
    signal: AbortSignal,
  ): Promise<Requeue | undefined> {
    if (findings.length === 0) return undefined
    const turn = this.#contention.turn(`${addon.metadata.name}/${writer}`)
    const now = this.#clock.now()
    await this.writeStatus(
      addon,
      (status) =>
        turn.settle(status, { ...status, conditions: setConditions(status.conditions, findings, now) }, findings),
      signal,
    )
    turn.done()
    return turn.again
  }

  /** Forgets what was written for an add-on that is gone. */
  forget(name: string, writer: string): void {
    this.#contention.forget(`${name}/${writer}`)
  }
}

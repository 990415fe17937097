import { AddOnPlacementScore, ManagedCluster, ManagedClusterScore } from '@orrery/api'
import { Node, Pod } from '@orrery/kinds'
import { isNotFound } from '@orrery/kinds/values'
import { type ControllerSpec, type Informers, isBeingDeleted, type KubeClient, requeueAfter } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { atStart } from '@orrery/kube/controller'
import { checkCalculators, periodOf, type SpokeCalculator, type SpokeFacts } from './calculator.js'
import { spreadPeriod } from './period.js'
import { ScorePublisher } from './score-publisher.js'

/** What the controller of scores needs of an agent. The context of agent parts has it. */
export interface SpokeScoreContext {
  readonly clusterName: string
  readonly hub: KubeClient
  readonly hubInformers: Informers
  readonly spoke: KubeClient
  readonly spokeInformers: Informers
  readonly clock: Clock
}

/** Whether a hub serves ManagedClusterScores: the hubs of Open Cluster Management do not. */
export async function servesScores(hub: KubeClient): Promise<boolean> {
  const { group, version, plural } = ManagedClusterScore
  try {
    const { resources = [] } = await hub.getJson<{ resources?: { name: string }[] }>(`/apis/${group}/${version}`)
    return resources.some(({ name }) => name === plural)
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

const PAGE = 500
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed'

/** The controllers of calculators that run in the agent, one for each. They write to the namespace of the cluster on the hub. */
export function spokeScores(context: SpokeScoreContext, calculators: readonly SpokeCalculator[]): ControllerSpec[] {
  checkCalculators('cluster', calculators)
  const pods = new RecentPods(context)
  return calculators.map((calculator) => spokeScore(context, calculator, pods))
}

function spokeScore(context: SpokeScoreContext, calculator: SpokeCalculator, pods: RecentPods): ControllerSpec {
  const { clusterName, hubInformers, spoke, spokeInformers, clock } = context
  const ref = { name: clusterName }
  const clusters = hubInformers.of(ManagedCluster, { fieldSelector: `metadata.name=${clusterName}` })
  const scores = hubInformers.of(ManagedClusterScore, { namespace: clusterName })
  const addOnScores = calculator.addOnScore && hubInformers.of(AddOnPlacementScore, { namespace: clusterName })
  const nodes = spokeInformers.of(Node)
  return {
    name: `score-${calculator.name.toLowerCase()}`,
    wakes: [clusters, scores, nodes, ...(addOnScores === undefined ? [] : [addOnScores])].map((informer) =>
      atStart(informer, ref),
    ),
    async reconcile(_, { client, signal }) {
      const again = requeueAfter(spreadPeriod(periodOf(calculator), clusterName))
      const cluster = clusters.get(ref)
      if (cluster === undefined || isBeingDeleted(cluster)) return again
      const facts: SpokeFacts = {
        clusterName,
        nodes: nodes.list(),
        pods: () => pods.read(signal),
        client: spoke,
        now: clock.now(),
        signal,
      }
      const calculated = await calculator.calculate(facts)
      await new ScorePublisher({ client, clock, scores, addOnScores }).publish(calculator, cluster, calculated, signal)
      return again
    },
  }
}

/** Calculators that run within this time read the pods once, in milliseconds. */
const SHARED_FOR = 5_000

/**
 * The pods of the cluster, read in pages when a calculator asks for them. An informer would keep all pods of the cluster in
 * the memory of the agent.
 */
class RecentPods {
  readonly #spoke: KubeClient
  readonly #clock: Clock
  #last: { readonly at: number; readonly pods: Promise<readonly Pod[]> } | undefined

  constructor({ spoke, clock }: SpokeScoreContext) {
    this.#spoke = spoke
    this.#clock = clock
  }

  read(signal: AbortSignal): Promise<readonly Pod[]> {
    const now = this.#clock.elapsed()
    if (this.#last !== undefined && now - this.#last.at < SHARED_FOR) return this.#last.pods
    const pods = this.#list(signal)
    const last = { at: now, pods }
    this.#last = last
    // The pods of a large cluster are not kept until the next calculation, and a failed read is not repeated to others.
    const forget = () => {
      if (this.#last === last) this.#last = undefined
    }
    pods.then(() => this.#clock.after(SHARED_FOR, forget), forget)
    return pods
  }

  async #list(signal: AbortSignal): Promise<readonly Pod[]> {
    const pods: Pod[] = []
    for await (const { items } of this.#spoke.pages(Pod, { fieldSelector: LIVE_PODS, limit: PAGE, signal })) {
      pods.push(...items)
    }
    return pods
  }
}

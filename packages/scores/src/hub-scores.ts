import {
  AddOnPlacementScore,
  CLUSTER_LEASE,
  calculatorOf,
  ManagedCluster,
  ManagedClusterCondition,
  ManagedClusterScore,
  scoreObjectName,
  scoreValidUntil,
} from '@orrery/api'
import { Lease } from '@orrery/kinds'
import { isConditionTrue } from '@orrery/kinds/values'
import { type ControllerSpec, each, type Informers, isBeingDeleted, requeueAfter } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import { checkCalculators, type HubCalculator, periodOf } from './calculator.js'
import { spreadPeriod } from './period.js'
import { ScorePublisher } from './score-publisher.js'

/** What score controllers need of the hub. The contexts of hub parts and of `runControllers` have it. */
export interface HubScoreContext {
  readonly informers: Informers
  readonly clock: Clock
}

/** How many clusters one calculator works on at the same time: it may wait for other systems. */
const CONCURRENCY = 8

/** The controllers of calculators that run on the hub, one for each, for all accepted clusters. */
export function hubScores(context: HubScoreContext, calculators: readonly HubCalculator[]): ControllerSpec[] {
  checkCalculators('hub', calculators)
  return calculators.map((calculator) => hubScore(context, calculator))
}

function hubScore({ informers, clock }: HubScoreContext, calculator: HubCalculator): ControllerSpec {
  const clusters = informers.of(ManagedCluster)
  const leases = informers.of(Lease, { fieldSelector: `metadata.name=${CLUSTER_LEASE}` })
  const scores = informers.of(ManagedClusterScore)
  const addOnScores = calculator.addOnScore && informers.of(AddOnPlacementScore)
  const own = calculator.name.toLowerCase()
  const read = new Set(calculator.readsScores?.map((name) => name.toLowerCase()))

  const scoreOf = (cluster: string, name: string, now: Date) => {
    const score = scores.get({ namespace: cluster, name: scoreObjectName(cluster, name) })
    const validUntil = score && scoreValidUntil(score)
    return validUntil !== undefined && now < validUntil ? score?.status?.score : undefined
  }

  return {
    name: `score-${own}`,
    concurrency: CONCURRENCY,
    wakes: [
      each(clusters),
      each(leases, () => undefined),
      each(scores, ({ metadata }) => ({ name: metadata.namespace }), {
        when: ({ before, after }) => {
          const name = calculatorOf((after ?? before) as ManagedClusterScore) ?? ''
          return name === own ? after === undefined : read.has(name) && before?.status?.score !== after?.status?.score
        },
      }),
      ...(addOnScores === undefined ? [] : [each(addOnScores, () => undefined)]),
    ],
    async reconcile({ name }, { client, signal }) {
      const cluster = clusters.get({ name })
      // An accepted cluster has a namespace.
      const isAccepted = isConditionTrue(cluster?.status?.conditions, ManagedClusterCondition.HubAccepted)
      if (cluster === undefined || !isAccepted || isBeingDeleted(cluster)) return undefined
      const now = clock.now()
      const calculated = await calculator.calculate({
        cluster,
        lease: leases.get({ namespace: name, name: CLUSTER_LEASE }),
        scoreOf: (other) => scoreOf(name, other, now),
        client,
        now,
        signal,
      })
      await new ScorePublisher({ client, clock, scores, addOnScores }).publish(calculator, cluster, calculated, signal)
      return requeueAfter(spreadPeriod(periodOf(calculator), name))
    },
  }
}

import {
  FailoverCondition,
  FailoverEvent,
  FailoverReason,
  PlacementFailover,
  type PlacementFailoverStatus,
} from '@orrery/api'
import { type Finding, keyOf, setConditions } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, requeueAt, writeStatus } from '@orrery/kube'
import type { Wake } from '@orrery/kube/controller'
import type { HubContext } from '../../context.js'
import { placementOf } from '../failover-exclusions.js'
import { rulesOf } from '../failover-rules.js'
import type { PlacementRef } from '../placement-decisions.js'
import { syncedBefore } from '../schedule-wakes.js'
import { withinCost } from '../scheduling/costly-placements.js'
import { filterClusters } from '../scheduling/filter.js'
import { Misconfigured } from '../scheduling/misconfigured.js'
import { SchedulingInputs } from '../scheduling-inputs.js'
import { decideFailover, type FailoverCluster, type Move } from './decide.js'
import { HealthScores } from './health-scores.js'

/** The result of one evaluation. */
interface Evaluation {
  readonly status: PlacementFailoverStatus
  readonly moves: readonly Move[]
  readonly nextAt: Date | undefined
}

/**
 * Excludes failing clusters from placements, and readmits them: keeps the status of PlacementFailovers, which scheduling reads.
 * Everything that it remembers is in the status, and each write is computed from the latest version of it.
 */
export function placementFailover({ clock, events, informers }: HubContext): ControllerSpec {
  const inputs = SchedulingInputs.of(informers, clock)
  const { exclusions } = inputs
  const failovers = informers.of(PlacementFailover)
  const scores = new HealthScores(informers)
  const failoversOf = (placement: PlacementRef) => exclusions.allFor(placement).map(({ metadata }) => metadata)

  function evaluate(failover: PlacementFailover): Evaluation {
    const placement = placementOf(failover)
    const active = exclusions.activeFor(placement)
    if (active !== undefined && active.metadata.uid !== failover.metadata.uid) {
      const message = `PlacementFailover ${active.metadata.name} is older and refers to the same placement: delete one of them`
      return withoutClusters(failover, FailoverReason.PlacementTaken, message)
    }
    const known = inputs.placements.get(keyOf(placement))
    if (known === undefined) {
      return withoutClusters(failover, FailoverReason.PlacementNotFound, `Placement ${placement.name} does not exist`)
    }
    const { compiled, problem } = known
    if (compiled === undefined) {
      const message = `Placement ${placement.name} is not valid: ${problem?.message}`
      return unchanged(failover, FailoverReason.PlacementMisconfigured, message)
    }
    const now = clock.now()
    const rules = rulesOf(failover.spec)
    const state = inputs.stateOf(known.placement)
    const found = scores.of(failover.spec, now)
    const candidates = inputs.candidatesOf(known.placement).clusters
    // Failover is the last filter.
    const { excluded: _, ...unfiltered } = state
    const feasible = withinCost(compiled, candidates.length, () => filterClusters(compiled, candidates, unfiltered))
    if (feasible instanceof Misconfigured) {
      const message = `Placement ${placement.name} is not valid: ${feasible.message}`
      return unchanged(failover, FailoverReason.PlacementMisconfigured, message)
    }
    const names = new Set(feasible.clusters.map(({ name }) => name))
    const clusters = candidates.map(
      ({ name }): FailoverCluster => ({
        name,
        score: found.scoreOf(name),
        isDecided: state.decided.has(name),
        isFeasible: names.has(name),
      }),
    )
    const { moves, nextAt, limit, ...memory } = decideFailover(rules, clusters, memoryOf(failover), now)
    const hasScores = clusters.length === 0 || clusters.some(({ score }) => score !== undefined)
    const ready = hasScores
      ? finding(FailoverCondition.Ready, 'True', FailoverReason.Evaluated, 'The placement and its scores are evaluated')
      : finding(FailoverCondition.Ready, 'False', FailoverReason.NoScores, noScores(rules.scoreName))
    const limited =
      limit === undefined
        ? finding(FailoverCondition.Limited, 'False', FailoverReason.WithinLimits, '')
        : finding(FailoverCondition.Limited, 'True', limit.reason, limit.message)
    const status = statusWith(failover, memory, [ready, limited])
    return { status, moves, nextAt: earliest(nextAt, found.nextExpiry()) }
  }

  /** Every evaluation records its own conditions. */
  function statusWith(
    failover: PlacementFailover,
    { excluded, pending, recentMoves }: ReturnType<typeof memoryOf>,
    findings: readonly Finding[],
  ): PlacementFailoverStatus {
    const observedGeneration = failover.metadata.generation ?? 0
    const stamped = findings.map((one) => ({ ...one, observedGeneration }))
    return {
      observedGeneration,
      numberOfExcludedClusters: excluded.length,
      excluded: [...excluded],
      pending: [...pending],
      recentMoves: [...recentMoves],
      conditions: setConditions(failover.status?.conditions, stamped, clock.now()),
    }
  }

  function unchanged(failover: PlacementFailover, reason: FailoverReason, message: string): Evaluation {
    const ready = finding(FailoverCondition.Ready, 'False', reason, message)
    return { status: statusWith(failover, memoryOf(failover), [ready]), moves: [], nextAt: undefined }
  }

  function withoutClusters(failover: PlacementFailover, reason: FailoverReason, message: string): Evaluation {
    const ready = finding(FailoverCondition.Ready, 'False', reason, message)
    const nothing = { excluded: [], pending: [], recentMoves: [] }
    return { status: statusWith(failover, nothing, [ready]), moves: [], nextAt: undefined }
  }

  function record(failover: PlacementFailover, { clusterName, move, reason }: Move): void {
    const { apiVersion, kind, metadata } = failover
    const { namespace = '', name, uid } = metadata
    const isLeaving = move === 'Leave'
    events.record({
      regarding: { apiVersion, kind, namespace, name, uid },
      type: isLeaving ? 'Warning' : 'Normal',
      reason: isLeaving ? FailoverEvent.ClusterLeft : FailoverEvent.ClusterReturned,
      note: `cluster ${clusterName} ${isLeaving ? 'left' : 'returned to'} placement ${failover.spec.placementRef.name}: ${reason}`,
    })
  }

  const affected: Wake = {
    informer: failovers,
    start: (enqueue) =>
      inputs.subscribe((placement) => {
        for (const ref of failoversOf(placement)) enqueue(ref, 'fresh')
      }),
    resync: () => undefined,
  }

  return {
    name: 'placement-failover',
    wakes: [
      each(failovers, (failover) => failoversOf(placementOf(failover))),
      affected,
      ...inputs.informers.map(syncedBefore),
      ...scores.wakes(),
    ],
    async reconcile(ref, { client, signal }) {
      const failover = failovers.get(ref)
      if (failover === undefined || isBeingDeleted(failover)) return undefined
      let last: Evaluation | undefined
      const statusOf = (current: PlacementFailover) => {
        last = evaluate(current)
        return last.status
      }
      await writeStatus(client, PlacementFailover, failover, statusOf, { signal })
      for (const move of last?.moves ?? []) record(failover, move)
      return last?.nextAt && requeueAt(last.nextAt)
    },
  }
}

function memoryOf({ status }: PlacementFailover) {
  const { excluded = [], pending = [], recentMoves = [] } = status ?? {}
  return { excluded, pending, recentMoves }
}

function finding(type: string, status: 'True' | 'False', reason: string, message: string): Finding {
  return { type, status, reason, message }
}

function noScores(name: string): string {
  return `No candidate of the placement has a valid score ${name}: enable the feature gate ClusterScores of the hub, or run the calculator`
}

function earliest(a: Date | undefined, b: Date | undefined): Date | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a
}

import { type Placement, SCHEDULING_DISABLED_ANNOTATION } from '@orrery/api'
import { keyOf } from '@orrery/kinds/values'
import { type ControllerSpec, isBeingDeleted, requeueAfter } from '@orrery/kube'
import type { HubContext } from '../context.js'
import type { PlacementResult } from './placement-status.js'
import { PlacementWriter } from './placement-writer.js'
import { scheduleWakes } from './schedule-wakes.js'
import { layoutDecisions, layoutMisconfigured, misconfiguredSchedule, schedule } from './scheduling/index.js'
import { SchedulingInputs } from './scheduling-inputs.js'
import { SchedulingMetrics } from './scheduling-metrics.js'
import { Settling } from './settling.js'
import type { KnownPlacement } from './state/placement-index.js'

/** How many placements are written at the same time. */
const CONCURRENCY = 32

/** As often as the informers of Open Cluster Management: placements that others have unbalanced are scheduled again. */
const RESYNC_MILLISECONDS = 600_000

/**
 * Schedules placements: selects clusters, and writes PlacementDecisions and the status. It corresponds to the
 * SchedulingController of Open Cluster Management. Placements are scheduled one after the other, each with the decisions of
 * those before it. The writes of several placements run at the same time.
 */
export function placementScheduling(context: HubContext): ControllerSpec {
  const { clock, informers, metrics } = context
  const inputs = SchedulingInputs.of(informers, clock)
  const writer = new PlacementWriter(context, inputs)
  const durations = new SchedulingMetrics(metrics, clock)
  const settling = new Settling()
  return {
    name: 'placement-scheduling',
    concurrency: CONCURRENCY,
    resyncMilliseconds: RESYNC_MILLISECONDS,
    wakes: scheduleWakes(inputs, settling),
    async reconcile(ref, { signal }) {
      const key = keyOf(ref)
      const known = inputs.placements.get(key)
      if (known === undefined || isBeingDeleted(known.placement) || isScheduledElsewhere(known.placement)) {
        settling.forget(key)
        return
      }
      const isRound = settling.begin(key, clock.now())
      const result = durations.scheduling(() => scheduleNow(inputs, known))
      const { schedule, layout } = result
      const wanted = layout.decisions.flatMap(({ decisions }) => decisions)
      const isNew = !inputs.decisions.isDecided(key, wanted)
      if (isRound && !isNew) return settling.unchanged(key)
      const isWritten = await durations.bind(() => writer.write(known.placement, result, { signal }))
      if (!isWritten) return requeueAfter(0)
      const dependsOnOthers = known.compiled?.reads.balance === true
      return settling.written(key, isNew && dependsOnOthers, earliest(schedule.nextAt, layout.nextAt))
    },
  }
}

function isScheduledElsewhere({ metadata: { annotations } }: Placement): boolean {
  return annotations?.[SCHEDULING_DISABLED_ANNOTATION] === 'true'
}

function scheduleNow(inputs: SchedulingInputs, { placement, compiled, problem }: KnownPlacement): PlacementResult {
  const state = inputs.stateOf(placement)
  const { sets, clusters } = inputs.candidatesOf(placement)
  if (compiled !== undefined) {
    const result = schedule(compiled, sets, clusters, state)
    return { schedule: result, layout: layoutDecisions(compiled, result, state), problem: result.problem ?? problem }
  }
  const empty = misconfiguredSchedule(sets, clusters)
  return { schedule: empty, layout: layoutMisconfigured(placement, empty, state), problem }
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const milliseconds = times.flatMap((time) => (time === undefined ? [] : [time.getTime()]))
  return milliseconds.length === 0 ? undefined : new Date(Math.min(...milliseconds))
}

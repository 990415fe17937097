import {
  ManagedCluster,
  ManifestWork,
  ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetStatus,
  PLACEMENT_LABEL,
  Placement,
  PlacementDecision,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  ReplicaSetCondition,
  ReplicaSetReason,
} from '@orrery/api'
import { keyOf, setConditions } from '@orrery/kinds/values'
import {
  addFinalizer,
  annotationsChanged,
  anyOf,
  type CallOptions,
  type ControllerSpec,
  each,
  finalizersChanged,
  generationChanged,
  isBeingDeleted,
  labelsChanged,
  requeueAt,
  soonest,
  type Wake,
  writeConditions,
  writeStatus,
} from '@orrery/kube'
import type { HubContext } from '../../context.js'
import { inParallel } from '../../parallel.js'
import { TemplateError } from '../template/index.js'
import { childChanged, clusterChanged } from './changes.js'
import { finishDeletion } from './deletion.js'
import { confirmDepartures, deleteWork, departedWorks, livePlacements, surplusWorks } from './departures.js'
import { findingsFrom } from './findings.js'
import { Handout, type Outcome } from './hand-out.js'
import { membersOf, type SpecMaker, specMaker } from './members.js'
import { keyProblem, placementNameProblem, replicaSetKey, replicaSetOf } from './names.js'
import { paced } from './paced.js'
import { type PlacementView, viewPlacement } from './placements.js'
import { summarize, summarizePlacement } from './summary.js'

const BY_PLACEMENT = 'placement'
const BY_CLUSTER = 'cluster'
const BY_SET = 'replicaSet'

/** From how many works on a set is not looked at again at once when another of them changes. */
const LARGE_SET = 50
/** How long for each of its works, in milliseconds: half a second for ten thousand. */
const PAUSE_PER_WORK = 0.05

/**
 * Keeps the works of replica sets: one for each cluster that a placement of the set has decided for, made from the
 * template at the pace of the rollout strategy, and gone when the cluster is not decided for any more.
 */
export function replicaSets(context: HubContext): ControllerSpec {
  const { client, clock, informers } = context
  const sets = informers.of(ManifestWorkReplicaSet)
  const works = informers.of(ManifestWork, { labelSelector: REPLICA_SET_LABEL })
  const placements = informers.of(Placement)
  const decisions = informers.of(PlacementDecision)
  const clusters = informers.of(ManagedCluster)
  sets.addIndex(BY_PLACEMENT, ({ metadata: { namespace }, spec }) =>
    (spec?.placementRefs ?? []).map(({ name }) => keyOf({ namespace, name })),
  )
  works.addIndex(BY_SET, ({ metadata }) => [metadata.labels?.[REPLICA_SET_LABEL] ?? ''])
  decisions.addIndex(BY_PLACEMENT, (decision) => [placementKeyOf(decision)])
  decisions.addIndex(BY_CLUSTER, ({ status }) => (status?.decisions ?? []).map(({ clusterName }) => clusterName))

  const setsFor = (placement: string) => sets.byIndex(BY_PLACEMENT, placement).map(({ metadata }) => metadata)
  const childrenOf = ({ metadata }: ManifestWorkReplicaSet) => works.byIndex(BY_SET, replicaSetKey(metadata))

  const setsWith = ({ metadata }: ManagedCluster) =>
    decisions.byIndex(BY_CLUSTER, metadata.name).flatMap((decision) => setsFor(placementKeyOf(decision)))

  /** What many agents say about the works of one set is looked at together. */
  const calmly = (wake: Wake) =>
    paced(wake, clock, ({ namespace = '', name }) => {
      const count = works.byIndex(BY_SET, replicaSetKey({ namespace, name })).length
      return count < LARGE_SET ? 0 : count * PAUSE_PER_WORK
    })

  function placementsOf({ metadata: { namespace }, spec }: ManifestWorkReplicaSet): PlacementView[] {
    return (spec?.placementRefs ?? []).map((reference) => {
      const ref = { namespace, name: reference.name }
      return viewPlacement(reference, placements.get(ref), decisions.byIndex(BY_PLACEMENT, keyOf(ref)))
    })
  }

  /** Deletes the works of clusters that left, and those that there are too many of. Says when to look again. */
  async function removeWorks(
    set: ManifestWorkReplicaSet,
    views: readonly PlacementView[],
    outcome: Outcome,
    call: CallOptions,
  ): Promise<{ failures: unknown[]; recheckAt: Date | undefined }> {
    const children = childrenOf(set)
    const surplus = surplusWorks(children, outcome.members)
    const departed = departedWorks(children, views)
    const { works: confirmed, recheckAt } =
      departed.length === 0
        ? { works: [], recheckAt: undefined }
        : confirmDepartures(departed, await livePlacements(client, set, clock.now(), call))
    const failures = await inParallel([...surplus, ...confirmed], (work) => deleteWork(client, work, call))
    return { failures, recheckAt }
  }

  async function refuse(set: ManifestWorkReplicaSet, message: string, call: CallOptions): Promise<void> {
    const finding = {
      type: ReplicaSetCondition.ManifestworkApplied,
      status: 'False',
      reason: ReplicaSetReason.InvalidManifestWorkName,
      message,
      observedGeneration: set.metadata.generation,
    } as const
    await writeConditions(client, ManifestWorkReplicaSet, set, [finding], { clock, ...call })
  }

  return {
    name: 'work-replica-sets',
    concurrency: 4,
    wakes: [
      each(sets, undefined, {
        when: anyOf(generationChanged, labelsChanged, annotationsChanged, finalizersChanged),
      }),
      calmly(
        each(works, ({ metadata }) => replicaSetOf(metadata.labels?.[REPLICA_SET_LABEL] ?? ''), { when: childChanged }),
      ),
      each(placements, ({ metadata }) => setsFor(keyOf(metadata))),
      each(decisions, (decision) => setsFor(placementKeyOf(decision))),
      calmly(each(clusters, setsWith, { when: clusterChanged })),
    ],
    async reconcile(ref, { signal }) {
      const known = sets.get(ref)
      if (known === undefined) return
      const call = { signal }
      if (isBeingDeleted(known)) return finishDeletion(context, known, childrenOf(known), call)
      const unfit = keyProblem(known) ?? placementNameProblem(known)
      if (unfit !== undefined) return refuse(known, unfit, call)
      const set = await addFinalizer(client, ManifestWorkReplicaSet, known, REPLICA_SET_FINALIZER, call)
      const { maker, templateProblem } = readTemplate(set)
      const views = placementsOf(set)
      const sources = { placements: views, works: childrenOf(set), maker }
      const members = membersOf({ ...sources, clusterNamed: (name) => clusters.get({ name }) })
      const outcome = await new Handout(context, set, views, members).run(call)
      const removal = await removeWorks(set, views, outcome, call)
      const failures = [...outcome.failures, ...removal.failures]
      const counts = summarize(outcome.members.keys(), outcome.members)
      const { generation: observedGeneration } = set.metadata
      const findings = findingsFrom({ placements: views, outcome, counts, templateProblem, observedGeneration })
      const now = clock.now()
      const statusOf = ({ status }: ManifestWorkReplicaSet): ManifestWorkReplicaSetStatus => ({
        ...status,
        conditions: setConditions(status?.conditions, findings, now),
        summary: counts,
        placementSummary: views.map((view) => summarizePlacement(view, outcome.members)),
      })
      await writeStatus(client, ManifestWorkReplicaSet, set, statusOf, call)
      if (failures.length > 0) throw together(failures)
      const rechecks = [...outcome.courses.values()].map((course) =>
        'plan' in course ? course.plan.recheckAt : undefined,
      )
      return soonest(now, ...[removal.recheckAt, ...rechecks].map((at) => at && requeueAt(at)))
    },
  }
}

function readTemplate(set: ManifestWorkReplicaSet): {
  maker: SpecMaker | undefined
  templateProblem: string | undefined
} {
  try {
    return { maker: specMaker(set), templateProblem: undefined }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { maker: undefined, templateProblem: `the template cannot be read: ${error.message}` }
  }
}

function placementKeyOf({ metadata: { namespace, labels } }: PlacementDecision): string {
  return keyOf({ namespace, name: labels?.[PLACEMENT_LABEL] ?? '' })
}

function together(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  return new AggregateError(failures, `${failures.length} works could not be written`)
}

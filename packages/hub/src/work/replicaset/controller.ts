import {
  ManagedCluster,
  ManifestWork,
  ManifestWorkReplicaSet,
  type ManifestWorkReplicaSetStatus,
  REPLICA_SET_FINALIZER,
  REPLICA_SET_LABEL,
  ReplicaSetCondition,
  ReplicaSetReason,
} from '@orrery/api'
import { keyOf, setConditions } from '@orrery/kinds/values'
import {
  addFinalizer,
  type ControllerSpec,
  each,
  generationChanged,
  isBeingDeleted,
  requeueAt,
  writeConditions,
  writeStatus,
} from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import {
  annotationsChanged,
  anyOf,
  finalizersChanged,
  labelsChanged,
  soonest,
  type Wake,
} from '@orrery/kube/controller'
import type { HubContext } from '../../context.js'
import { inParallel } from '../../parallel.js'
import { PlacementDecisions, type PlacementRef } from '../../placement/index.js'
import { throttled } from '../../throttled.js'
import { TemplateError } from '../template/index.js'
import { childChanged, clusterChanged } from './changes.js'
import { replicaSetConditions } from './conditions.js'
import { finishDeletion } from './deletion.js'
import { membersOf, type SpecMaker, specMaker } from './members.js'
import { keyProblem, placementNameProblem, replicaSetKey, replicaSetOf } from './names.js'
import { confirmObsolete, deleteWork, livePlacements, obsoleteWorks, surplusWorks } from './obsolete-works.js'
import { type ReferencedPlacement, referencesOf } from './referenced-placement.js'
import { ReplicaSetRollout, type RolloutResult } from './rollout.js'
import { summarize, summarizePlacement } from './summary.js'

const BY_PLACEMENT = 'placement'
const BY_SET = 'replicaSet'

/** From this number of works on, changes of the works of a set are throttled. */
const LARGE_SET = 50
/** The pause for each work, in milliseconds: half a second for ten thousand works. */
const PAUSE_PER_WORK = 0.05

/**
 * Keeps the works of replica sets: one for each cluster that a placement of the set selects. The template is rolled out by
 * the rollout strategy; the work is deleted when no placement selects the cluster any more.
 */
export function replicaSets(context: HubContext): ControllerSpec {
  const { client, clock, informers } = context
  const sets = informers.of(ManifestWorkReplicaSet)
  const works = informers.of(ManifestWork, { labelSelector: REPLICA_SET_LABEL })
  const decisions = new PlacementDecisions(informers)
  const clusters = informers.of(ManagedCluster)
  sets.addIndex(BY_PLACEMENT, (set) =>
    referencesOf(set).map(({ name }) => keyOf({ namespace: set.metadata.namespace, name })),
  )
  works.addIndex(BY_SET, ({ metadata }) => [metadata.labels?.[REPLICA_SET_LABEL] ?? ''])

  const setsFor = (placement: PlacementRef) =>
    sets.byIndex(BY_PLACEMENT, keyOf(placement)).map(({ metadata }) => metadata)
  const childrenOf = ({ metadata }: ManifestWorkReplicaSet) => works.byIndex(BY_SET, replicaSetKey(metadata))

  const setsWith = ({ metadata }: ManagedCluster) => decisions.placementsOf(metadata.name).flatMap(setsFor)

  /** The reports of many agents about the works of one set cause one reconcile. */
  const coalesced = (wake: Wake) =>
    throttled(wake, clock, ({ namespace = '', name }) => {
      const count = works.byIndex(BY_SET, replicaSetKey({ namespace, name })).length
      return count < LARGE_SET ? 0 : count * PAUSE_PER_WORK
    })

  function placementsOf(set: ManifestWorkReplicaSet): ReferencedPlacement[] {
    const { namespace } = set.metadata
    return referencesOf(set).map((reference) => ({
      reference,
      ...decisions.view({ namespace, name: reference.name }),
    }))
  }

  /** Deletes the works of clusters that are no longer selected, and duplicates. Returns when to check again. */
  async function removeWorks(
    set: ManifestWorkReplicaSet,
    views: readonly ReferencedPlacement[],
    result: RolloutResult,
    call: CallOptions,
  ): Promise<{ failures: unknown[]; recheckAt: Date | undefined }> {
    const children = childrenOf(set)
    const surplus = surplusWorks(children, result.members)
    const obsolete = obsoleteWorks(children, views)
    const { works: confirmed, recheckAt } =
      obsolete.length === 0
        ? { works: [], recheckAt: undefined }
        : confirmObsolete(obsolete, await livePlacements(client, set, clock.now(), call))
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
      coalesced(
        each(works, ({ metadata }) => replicaSetOf(metadata.labels?.[REPLICA_SET_LABEL] ?? ''), { when: childChanged }),
      ),
      ...decisions.wakes(setsFor),
      coalesced(each(clusters, setsWith, { when: clusterChanged })),
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
      const result = await new ReplicaSetRollout(context, set, views, members).run(call)
      const removal = await removeWorks(set, views, result, call)
      const failures = [...result.failures, ...removal.failures]
      const counts = summarize(result.members.keys(), result.members)
      const { generation: observedGeneration } = set.metadata
      const findings = replicaSetConditions({ placements: views, result, counts, templateProblem, observedGeneration })
      const now = clock.now()
      const statusOf = ({ status }: ManifestWorkReplicaSet): ManifestWorkReplicaSetStatus => ({
        ...status,
        conditions: setConditions(status?.conditions, findings, now),
        summary: counts,
        placementSummary: views.map((view) => summarizePlacement(view, result.members)),
      })
      await writeStatus(client, ManifestWorkReplicaSet, set, statusOf, call)
      if (failures.length > 0) throw together(failures)
      const rechecks = [...result.rollouts.values()].map((rollout) =>
        'plan' in rollout ? rollout.plan.recheckAt : undefined,
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
    return { maker: undefined, templateProblem: `the template is not valid: ${error.message}` }
  }
}

function together(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0]
  return new AggregateError(failures, `${failures.length} works could not be written`)
}

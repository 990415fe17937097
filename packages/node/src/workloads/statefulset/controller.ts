import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted, requeueAt, writeStatus } from '@orrery/kube'
import { inGrowingBatches } from '../batches.js'
import type { WorkloadContext } from '../context.js'
import { claim, controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, PodControl, type PodWording } from '../pod-control.js'
import { isActive, nextAvailable } from '../podstate.js'
import { type History, keepHistory, pruneRevisions, templateOf } from '../revisions.js'
import { selectorOf } from '../selectors.js'
import { ClaimControl } from './claims.js'
import { isWithin, ordinalOf, ordinalsOf, revisionOf, statefulPod } from './identity.js'
import { planOf } from './plan.js'
import { statefulSetStatus } from './status.js'

const COMPONENT = 'statefulset-controller'

/** The StatefulSet controller: creates the pods in order, each with a stable name and storage. */
export function statefulSetController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods } = context
  const sets = context.informers.of(StatefulSet)
  const claims = context.informers.of(PersistentVolumeClaim)
  const revisions = context.owned(ControllerRevision)
  const recorder = context.recorder(COMPONENT)

  const podsOf = (set: StatefulSet) => controlledBy(pods, set).filter((pod) => ordinalOf(pod, set) !== undefined)

  /** Returns the revision for a pod: below the partition it is the current revision. */
  const revisionFor = (set: StatefulSet, history: History, ordinal: number) => {
    const { type = 'RollingUpdate', rollingUpdate } = set.spec.updateStrategy ?? {}
    const first = (set.spec.ordinals?.start ?? 0) + (rollingUpdate?.partition ?? 0)
    const former = history.revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision)
    return type === 'RollingUpdate' && ordinal < first && former !== undefined ? former : history.latest
  }

  const act = async (set: StatefulSet, history: History, signal: AbortSignal) => {
    const control = new PodControl(context, recorder, set, signal, wordingFor(set))
    const claimControl = new ClaimControl(context, recorder, set, signal)
    const updateRevision = history.latest.metadata.name
    const plan = planOf({ set, pods: podsOf(set), updateRevision, now: clock.now() })
    await inGrowingBatches(plan.create, async (ordinal) => {
      if (!(await claimControl.ensure(ordinal))) return
      const revision = revisionFor(set, history, ordinal)
      await control.create(statefulPod(set, templateOf(revision), revision.metadata.name, ordinal))
    })
    await keepClaims(set, claimControl)
    await Promise.all(plan.remove.map((pod) => control.delete(pod)))
  }

  const keepClaims = async (set: StatefulSet, claimControl: ClaimControl) => {
    if ((set.spec.volumeClaimTemplates ?? []).length === 0) return
    const wanted = ordinalsOf(set)
    for (const pod of podsOf(set)) {
      const ordinal = ordinalOf(pod, set) ?? 0
      // A pending pod may wait for a claim that was deleted.
      if (pod.status?.phase === 'Pending' && !isBeingDeleted(pod)) await claimControl.ensure(ordinal)
      await claimControl.retain(ordinal, pod, !isWithin(wanted, ordinal))
    }
  }

  return {
    name: COMPONENT,
    wakes: [
      each(sets),
      eachOwned(pods, sets, ({ spec }) => selectorOf(spec.selector)),
      eachOwned(revisions, sets, ({ spec }) => selectorOf(spec.selector)),
      // A pod waits until an earlier claim of the same name is deleted.
      each(claims, ({ metadata }) =>
        sets
          .list(metadata.namespace)
          .filter((set) => isClaimOf(metadata.name, set))
          .map((set) => set.metadata),
      ),
    ],
    concurrency: 5,
    async reconcile(ref, { signal }) {
      const set = sets.get(ref)
      if (set === undefined) return undefined
      const claimant = { kind: StatefulSet, owner: set, selector: selectorOf(set.spec.selector) }
      await claim(context, Pod, claimant, signal)
      const { spec, status } = set
      const collisions = status?.collisionCount ?? 0
      const labels = (hash: string) => ({ ...spec.template.metadata?.labels, 'controller.kubernetes.io/hash': hash })
      const history = await keepHistory(context, { ...claimant, template: spec.template, collisions, labels }, signal)
      const latest = history.latest.metadata.name
      const isKnown = history.revisions.some(({ metadata }) => metadata.name === status?.currentRevision)
      const currentRevision = isKnown ? (status?.currentRevision ?? latest) : latest
      let failure: unknown
      if (!isBeingDeleted(set)) {
        try {
          await act(set, history, signal)
        } catch (error) {
          if (signal.aborted || isNamespaceEnding(error)) return undefined
          failure = error
        }
      }
      const now = clock.now()
      const situation = { set, pods: podsOf(set), history, currentRevision, now }
      const { status: after } = await writeStatus(
        client,
        StatefulSet,
        set,
        (current) => statefulSetStatus(current.status, situation),
        { signal },
      )
      if (failure !== undefined) throw failure
      const used = new Set([after?.currentRevision, latest, ...situation.pods.map(revisionOf)])
      const isUsed = ({ metadata }: ControllerRevision) => used.has(metadata.name)
      await pruneRevisions(context, history, isUsed, spec.revisionHistoryLimit ?? 10, signal)
      const next = nextAvailable(situation.pods.filter(isActive), spec.minReadySeconds ?? 0, now)
      return next && requeueAt(next)
    },
  }
}

function isClaimOf(name: string, set: StatefulSet): boolean {
  return (set.spec.volumeClaimTemplates ?? []).some(({ metadata }) =>
    name.startsWith(`${metadata.name}-${set.metadata.name}-`),
  )
}

function wordingFor({ metadata: { name: set } }: StatefulSet): PodWording {
  const text = (verb: string, name: string) => `${verb} Pod ${name} in StatefulSet ${set}`
  return {
    created: (name) => `${text('Create', name)} successful`,
    createFailed: (name, why) => `${text('Create', name)} failed error: ${why}`,
    deleted: (name) => `${text('Delete', name)} successful`,
    deleteFailed: (name, why) => `${text('Delete', name)} failed error: ${why}`,
  }
}

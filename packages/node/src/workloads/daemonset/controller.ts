import { ControllerRevision, DaemonSet, Node, Pod } from '@orrery/kinds'
import { jsonEqual } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, requeueAt, writeStatus } from '@orrery/kube'
import { type Predicate, soonest } from '@orrery/kube/controller'
import { inGrowingBatches } from '../batches.js'
import type { WorkloadContext } from '../context.js'
import { claim, controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, PodControl } from '../pod-control.js'
import { isActive, isFinished, nextAvailable } from '../podstate.js'
import { keepHistory, pruneRevisions } from '../revisions.js'
import { selectorOf } from '../selectors.js'
import { type Plan, planOf, type Situation } from './plan.js'
import { daemonPod, HASH_LABEL } from './pod.js'
import { daemonSetStatus } from './status.js'

const COMPONENT = 'daemonset-controller'

/** The DaemonSet controller: runs one pod of each DaemonSet on every eligible node. */
export function daemonSetController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods } = context
  const sets = context.informers.of(DaemonSet)
  const nodes = context.informers.of(Node)
  const revisions = context.owned(ControllerRevision)
  const recorder = context.recorder(COMPONENT)

  const situationOf = (set: DaemonSet, hash: string): Situation => ({
    set,
    nodes: nodes.list(),
    pods: controlledBy(pods, set),
    hash,
    now: clock.now(),
  })

  const act = async ({ set, hash }: Situation, { create, remove }: Plan, signal: AbortSignal) => {
    const control = new PodControl(context, recorder, set, signal)
    for (const pod of remove) if (isFinished(pod)) recordEnded(set, pod)
    await Promise.all(remove.map((pod) => control.delete(pod)))
    await inGrowingBatches(create, (node) => control.create(daemonPod(set, node, hash)))
  }

  const recordEnded = (set: DaemonSet, { metadata, spec, status }: Pod) => {
    const isFailure = status?.phase === 'Failed'
    const which = `${metadata.namespace}/${metadata.name} on node ${spec.nodeName ?? ''}`
    recorder.record({
      regarding: set,
      type: isFailure ? 'Warning' : 'Normal',
      reason: isFailure ? 'FailedDaemonPod' : 'SucceededDaemonPod',
      note: isFailure
        ? `Found failed daemon pod ${which}, will try to kill it`
        : `Found succeeded daemon pod ${which}, will try to delete it`,
    })
  }

  return {
    name: COMPONENT,
    wakes: [
      each(sets),
      eachOwned(pods, sets, ({ spec }) => selectorOf(spec.selector)),
      eachOwned(revisions, sets, ({ spec }) => selectorOf(spec.selector)),
      each(nodes, () => sets.list().map(({ metadata }) => metadata), { when: nodeMatters }),
    ],
    concurrency: 2,
    async reconcile(ref, { signal }) {
      const set = sets.get(ref)
      if (set === undefined) return undefined
      const claimant = { kind: DaemonSet, owner: set, selector: selectorOf(set.spec.selector) }
      await claim(context, Pod, claimant, signal)
      const { template, revisionHistoryLimit = 10, minReadySeconds = 0 } = set.spec
      const collisions = set.status?.collisionCount ?? 0
      const labels = (hash: string) => ({ ...template.metadata?.labels, [HASH_LABEL]: hash })
      const history = await keepHistory(context, { ...claimant, template, collisions, labels }, signal)
      const hash = history.latest.metadata.labels?.[HASH_LABEL] ?? ''
      const before = situationOf(set, hash)
      let failure: unknown
      let plan: Plan | undefined
      if (!isBeingDeleted(set)) {
        plan = planOf(before)
        try {
          await act(before, plan, signal)
        } catch (error) {
          if (signal.aborted || isNamespaceEnding(error)) return undefined
          failure = error
        }
      }
      const after = situationOf(set, hash)
      await writeStatus(client, DaemonSet, set, ({ status }) => daemonSetStatus(status, after, history), { signal })
      if (failure !== undefined) throw failure
      const used = new Set([hash, ...after.pods.map(({ metadata }) => metadata.labels?.[HASH_LABEL])])
      const isUsed = ({ metadata }: ControllerRevision) => used.has(metadata.labels?.[HASH_LABEL])
      await pruneRevisions(context, history, isUsed, revisionHistoryLimit, signal)
      const available = nextAvailable(after.pods.filter(isActive), minReadySeconds, after.now)
      return soonest(after.now, plan?.next && requeueAt(plan.next), available && requeueAt(available))
    },
  }
}

/** The periodic status updates of a node do not matter. */
const nodeMatters: Predicate<Node> = ({ before, after }) =>
  before === undefined ||
  after === undefined ||
  !jsonEqual(before.spec, after.spec) ||
  !jsonEqual(before.metadata.labels, after.metadata.labels)

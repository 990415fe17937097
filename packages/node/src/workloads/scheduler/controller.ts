import { Binding, Node, PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@orrery/kinds'
import { findCondition, formatTime, isConflict, isNotFound, jsonEqual } from '@orrery/kinds/values'
import {
  type ControllerSpec,
  each,
  type Informer,
  isBeingDeleted,
  type ReconcileContext,
  writeStatus,
} from '@orrery/kube'
import type { Predicate } from '@orrery/kube/controller'
import type { WorkloadContext } from '../context.js'
import { requestsOf } from '../nodes/resources.js'
import { isFinished } from '../podstate.js'
import { SELECTED_NODE } from '../storage/names.js'
import { type Candidate, obstaclesOn, unavailableMessage } from './filters.js'
import { bestNode } from './scores.js'
import { volumeNeeds } from './volumes.js'

const COMPONENT = 'default-scheduler'
const NODE_INDEX = 'scheduled-node'
const WAITING = ''

/** The scheduler: binds each pending pod to the best feasible node, or reports why there is none. */
export function schedulerController(context: WorkloadContext): ControllerSpec {
  const { pods, informers } = context
  pods.addIndex(NODE_INDEX, nodeKeys)
  const nodes = informers.of(Node)
  const stores = {
    claims: informers.of(PersistentVolumeClaim),
    volumes: informers.of(PersistentVolume),
    classes: informers.of(StorageClass),
  }
  const recorder = context.recorder(COMPONENT)
  const expectations = context.expectations(Pod)
  const underWay = new Reservations(pods)

  const choose = (pod: Pod, candidate: Candidate) => {
    const obstacles: string[] = []
    const possible = nodes.list().flatMap((node) => {
      const there = underWay.podsOn(node.metadata.name)
      const found = obstaclesOn(node, there, candidate)
      obstacles.push(...found)
      return found.length === 0 ? [{ node, there }] : []
    })
    const node = bestNode(pod, possible)
    if (node !== undefined) return { node }
    if (nodes.size === 0) return { message: 'no nodes available to schedule pods' }
    return { message: unavailableMessage(nodes.size, obstacles) }
  }

  const refuse = async (pod: Pod, message: string, { client, clock, signal }: ReconcileContext) => {
    const known = findCondition(pod.status?.conditions, 'PodScheduled')
    if (known?.status === 'False' && known.message === message) return
    recorder.record({
      regarding: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note: message,
    })
    const lastTransitionTime = (known?.status === 'False' && known.lastTransitionTime) || formatTime(clock.now())
    await writeStatus(
      client,
      Pod,
      pod,
      ({ status }) => {
        const others = (status?.conditions ?? []).filter(({ type }) => type !== 'PodScheduled')
        const finding = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message } as const
        return { ...status, conditions: [...others, { ...finding, lastTransitionTime }] }
      },
      { signal },
    )
  }

  const bind = async (pod: Pod, node: string, { client, signal }: ReconcileContext) => {
    const { namespace, name, uid } = pod.metadata
    const target = { kind: 'Node', name: node }
    const draft = { metadata: { namespace, name, uid }, target }
    try {
      await client.create(Binding, draft, { signal })
    } catch (error) {
      // The pod was bound, deleted or replaced meanwhile; the informer wakes the controller if needed.
      if (isConflict(error) || isNotFound(error)) return
      throw error
    }
    const note = `Successfully assigned ${namespace}/${name} to ${node}`
    recorder.record({ regarding: pod, reason: 'Scheduled', action: 'Binding', note })
    const isShown = () => {
      const shown = pods.get({ namespace, name })
      return shown?.metadata.uid !== uid || !isWaiting(shown)
    }
    await expectations.until(isShown, signal)
  }

  const promise = (claims: readonly PersistentVolumeClaim[], node: string, { client, signal }: ReconcileContext) =>
    Promise.all(
      claims
        .filter(({ metadata }) => metadata.annotations?.[SELECTED_NODE] !== node)
        .map(({ metadata: { namespace, name, uid } }) => {
          const metadata = { uid, annotations: { [SELECTED_NODE]: node } }
          return client.patch(PersistentVolumeClaim, { namespace, name }, { metadata }, { signal })
        }),
    )

  const everyWaiting = () => pods.byIndex(NODE_INDEX, WAITING).map(({ metadata }) => metadata)
  const waitingIn = (namespace: string) => everyWaiting().filter((metadata) => metadata.namespace === namespace)

  return {
    name: COMPONENT,
    wakes: [
      each(pods, undefined, { when: ({ after }) => after !== undefined && isWaiting(after) }),
      // Pending pods are retried when pods leave and nodes change.
      each(pods, everyWaiting, { when: leavesRoom }),
      each(nodes, everyWaiting, { when: nodeMatters }),
      each(stores.claims, ({ metadata }) => waitingIn(metadata.namespace)),
      each(stores.classes, everyWaiting),
    ],
    concurrency: 16,
    async reconcile(ref, run) {
      const pod = pods.get(ref)
      if (pod === undefined || !isWaiting(pod)) return
      const needs = volumeNeeds(pod, stores)
      if (needs.obstacle !== undefined) {
        await refuse(pod, `0/${nodes.size} nodes are available: ${needs.obstacle}.`, run)
        return
      }
      // The claim wakes the pod once it is bound.
      if (needs.isBinding) return
      const candidate = { pod, requests: requestsOf(pod.spec), volumeObstacle: needs.obstacleOn }
      const { node, message } = choose(pod, candidate)
      if (node === undefined) {
        await refuse(pod, message, run)
        return
      }
      const { name } = node.metadata
      if (needs.waiting.length > 0) {
        await promise(needs.waiting, name, run)
        return
      }
      const release = underWay.reserve(pod, name)
      try {
        await bind(pod, name, run)
      } finally {
        release()
      }
    },
  }
}

/**
 * The assumed pods of the scheduler cache: pods whose binding is in progress count on their node, so that many can be
 * bound concurrently.
 */
class Reservations {
  readonly #pods: Informer<Pod>
  readonly #reserved = new Map<Pod, string>()

  constructor(pods: Informer<Pod>) {
    this.#pods = pods
  }

  /** Returns a function that releases the reservation. */
  reserve(pod: Pod, node: string): () => void {
    this.#reserved.set(pod, node)
    return () => this.#reserved.delete(pod)
  }

  podsOn(node: string): readonly Pod[] {
    const there = this.#pods.byIndex(NODE_INDEX, node)
    const coming = [...this.#reserved].filter(([pod, to]) => to === node && !there.some((one) => isSame(one, pod)))
    return coming.length === 0 ? there : [...there, ...coming.map(([pod]) => pod)]
  }
}

function isSame(one: Pod, other: Pod): boolean {
  return one.metadata.uid === other.metadata.uid
}

function nodeKeys(pod: Pod): readonly string[] {
  if (isWaiting(pod)) return [WAITING]
  return (pod.spec.nodeName ?? '') === '' || isFinished(pod) ? [] : [pod.spec.nodeName ?? '']
}

/** Returns whether a pod is pending and for this scheduler. */
function isWaiting(pod: Pod): boolean {
  const { nodeName = '', schedulerName = COMPONENT, schedulingGates = [] } = pod.spec
  const isOurs = schedulerName === COMPONENT && schedulingGates.length === 0
  return nodeName === '' && isOurs && !isBeingDeleted(pod) && !isFinished(pod)
}

const leavesRoom: Predicate<Pod> = ({ before, after }) =>
  before !== undefined &&
  (before.spec.nodeName ?? '') !== '' &&
  !isFinished(before) &&
  (after === undefined || isFinished(after))

const nodeMatters: Predicate<Node> = ({ before, after }) =>
  after !== undefined &&
  (before === undefined ||
    !jsonEqual(before.spec, after.spec) ||
    !jsonEqual(before.metadata.labels, after.metadata.labels) ||
    !jsonEqual(before.status?.allocatable, after.status?.allocatable))

import { Deployment, type JsonObject, type Pod, ReplicaSet } from '@orrery/kinds'
import { findCondition, isAlreadyExists } from '@orrery/kinds/values'
import { type ControllerSpec, each, isBeingDeleted, requeueAt, writeStatus } from '@orrery/kube'
import { changeAnnotations, isOwnedBy } from '@orrery/kube/write'
import type { WorkloadContext } from '../context.js'
import { claim, controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, messageOf } from '../pod-control.js'
import { isFinished } from '../podstate.js'
import { selectorOf } from '../selectors.js'
import { boundsOf } from './bounds.js'
import { surplusHistory } from './history.js'
import { REVISION } from './names.js'
import { deadlineOf, type Finding, hasDeadline, isComplete, progressing, withDeploymentCondition } from './progress.js'
import { isRescaled, proportionalSizes } from './proportion.js'
import { currentPatch, newReplicaSet, sizePatch } from './replica-set.js'
import { allOf, isRunningSome, isSameTemplate, type Rollout, rolloutOf, sizeOf, total } from './rollout.js'
import { nextSizeOfCurrent, recreateSizes, rollingSizes, type Sizes } from './sizes.js'
import { deploymentStatus } from './status.js'

const COMPONENT = 'deployment-controller'

/** The Deployment controller: creates a ReplicaSet for the current template and moves the pods to it step by step. */
export function deploymentController(context: WorkloadContext): ControllerSpec {
  const { client, clock, pods } = context
  const deployments = context.informers.of(Deployment)
  const sets = context.owned(ReplicaSet)
  const recorder = context.recorder(COMPONENT)
  const expectations = context.expectations(ReplicaSet)

  const currentRollout = (deployment: Deployment) => rolloutOf(deployment, controlledBy(sets, deployment))

  const hasFormerPods = ({ former }: Rollout) =>
    former.some((set) => controlledBy(pods, set).some((pod: Pod) => !isFinished(pod)))

  const patch = (set: ReplicaSet, change: JsonObject, signal: AbortSignal) => {
    const { name, namespace, uid } = set.metadata
    const metadata = { ...(change.metadata as JsonObject | undefined), uid }
    return expectations.after(
      client.patch(ReplicaSet, { name, namespace }, { ...change, metadata }, { signal }),
      signal,
    )
  }

  const resize = async (deployment: Deployment, sizes: Sizes, signal: AbortSignal) => {
    const bounds = boundsOf(deployment)
    await Promise.all(
      Array.from(sizes, async ([set, size]) => {
        const change = sizePatch(set, size, bounds)
        if (change === undefined) return
        await patch(set, change, signal)
        if (size !== sizeOf(set)) recordScaled(deployment, set, sizeOf(set), size)
      }),
    )
  }

  const recordScaled = (deployment: Deployment, set: ReplicaSet, from: number, to: number) => {
    const way = to > from ? 'up' : 'down'
    recorder.record({
      regarding: deployment,
      related: set,
      reason: 'ScalingReplicaSet',
      action: to > from ? 'ScaleUp' : 'ScaleDown',
      note: `Scaled ${way} replica set ${set.metadata.name} from ${from} to ${to}`,
    })
  }

  /**
   * Creates the missing ReplicaSet. Returns the finding for the `Progressing` condition, or undefined if the creation
   * is to be retried.
   */
  const createCurrent = async (deployment: Deployment, rollout: Rollout, signal: AbortSignal) => {
    const replicas = nextSizeOfCurrent(boundsOf(deployment), 0, total(rollout.former, sizeOf))
    const draft = newReplicaSet(deployment, rollout, replicas)
    const { name = '' } = draft.metadata
    try {
      const set = await expectations.after(client.create(ReplicaSet, draft, { signal }), signal)
      if (replicas > 0) recordScaled(deployment, set, 0, replicas)
    } catch (error) {
      if (isNamespaceEnding(error)) return undefined
      if (!isAlreadyExists(error)) throw await createFailed(deployment, name, error, signal)
      return resolveCollision(deployment, name, signal)
    }
    return progressing('True', 'NewReplicaSetCreated', `Created new replica set "${name}"`)
  }

  const createFailed = async (deployment: Deployment, name: string, error: unknown, signal: AbortSignal) => {
    const message = `Failed to create new replica set "${name}": ${messageOf(error)}`
    recorder.record({ regarding: deployment, type: 'Warning', reason: 'ReplicaSetCreateError', note: message })
    if (!hasDeadline(deployment)) return error
    const finding = progressing('False', 'ReplicaSetCreateError', message)
    const now = clock.now()
    await writeStatus(
      client,
      Deployment,
      deployment,
      ({ status }) => ({ ...status, conditions: withDeploymentCondition(status?.conditions, finding, now) }),
      { signal },
    )
    return error
  }

  /** Handles a hash collision with another template: increments the collision count. */
  const resolveCollision = async (deployment: Deployment, name: string, signal: AbortSignal) => {
    const { namespace } = deployment.metadata
    const taken = await client.find(ReplicaSet, { namespace, name }, { signal })
    const isOurs = taken !== undefined && isOwnedBy(taken, deployment)
    if (isOurs && isSameTemplate(taken.spec.template, deployment.spec.template)) return undefined
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1
    await writeStatus(client, Deployment, deployment, ({ status }) => ({ ...status, collisionCount }), { signal })
    return undefined
  }

  const sizesFor = (deployment: Deployment, rollout: Rollout): Sizes => {
    const bounds = boundsOf(deployment)
    const isRolling = deployment.spec.strategy?.type !== 'Recreate'
    if (deployment.spec.paused === true) return proportionalSizes(bounds, rollout, isRolling)
    if (isRescaled(bounds, rollout)) {
      const sizes = new Map(proportionalSizes(bounds, rollout, isRolling))
      // ReplicaSets that keep their size need the new annotation too; otherwise they would look rescaled again.
      for (const set of allOf(rollout).filter(isRunningSome)) if (!sizes.has(set)) sizes.set(set, sizeOf(set))
      return sizes
    }
    return isRolling ? rollingSizes(bounds, rollout) : recreateSizes(bounds, rollout, !hasFormerPods(rollout))
  }

  /** Takes the next step of a rollout. Returns the finding for the `Progressing` condition. */
  const advance = async (deployment: Deployment, signal: AbortSignal): Promise<Finding | undefined> => {
    let rollout = currentRollout(deployment)
    let news: Finding | undefined
    const change = currentPatch(deployment, rollout)
    if (change !== undefined && rollout.current !== undefined) {
      await patch(rollout.current, change, signal)
      rollout = currentRollout(deployment)
    }
    const mayCreate = deployment.spec.paused !== true && !isRescaled(boundsOf(deployment), rollout)
    if (rollout.current !== undefined) {
      news = progressing('True', 'FoundNewReplicaSet', `Found new replica set "${rollout.current.metadata.name}"`)
    } else if (mayCreate && (deployment.spec.strategy?.type !== 'Recreate' || !hasFormerPods(rollout))) {
      news = await createCurrent(deployment, rollout, signal)
      rollout = currentRollout(deployment)
    }
    await resize(deployment, sizesFor(deployment, rollout), signal)
    return news
  }

  const pruneHistory = (deployment: Deployment, rollout: Rollout, signal: AbortSignal) =>
    Promise.all(
      surplusHistory(deployment, rollout).map((set) => {
        const { name, namespace, uid } = set.metadata
        return expectations.gone(
          client.ensureDeleted(ReplicaSet, { name, namespace }, { preconditions: { uid }, signal }),
          set,
          signal,
        )
      }),
    )

  return {
    name: COMPONENT,
    wakes: [each(deployments), eachOwned(sets, deployments, ({ spec }) => selectorOf(spec.selector))],
    concurrency: 5,
    async reconcile(ref, { signal }) {
      const deployment = deployments.get(ref)
      if (deployment === undefined) return undefined
      const selector = selectorOf(deployment.spec.selector)
      await claim(context, ReplicaSet, { kind: Deployment, owner: deployment, selector }, signal)
      const isPaused = deployment.spec.paused === true
      const isRolling = !isPaused && !isRescaled(boundsOf(deployment), currentRollout(deployment))
      const news = isBeingDeleted(deployment) ? undefined : await advance(deployment, signal)
      const rollout = currentRollout(deployment)
      const now = clock.now()
      const revision = rollout.current?.metadata.annotations?.[REVISION]
      let latest = deployment
      if (revision !== undefined) {
        // Written through the status subresource: other changes of annotations would increment the generation.
        const options = { subresource: 'status', signal }
        latest = await changeAnnotations(client, Deployment, deployment, { [REVISION]: revision }, options)
      }
      latest = await writeStatus(
        client,
        Deployment,
        latest,
        ({ status }) => deploymentStatus(status, { deployment, rollout, isRolling, news, now }),
        { signal },
      )
      if (isBeingDeleted(deployment)) return undefined
      if (isPaused || (latest.status !== undefined && isComplete(deployment, latest.status))) {
        await pruneHistory(deployment, rollout, signal)
        return undefined
      }
      const deadline = deadlineOf(deployment, findCondition(latest.status?.conditions, 'Progressing'), now)
      // Times in conditions are whole seconds; one more second ensures that the deadline has passed.
      return deadline && requeueAt(new Date(deadline.at.getTime() + 1000))
    },
  }
}

import { type NamespacedObject, Pod } from '@orrery/kinds'
import { type ControllerSpec, each, isBeingDeleted, ownerReferenceTo, requeueAt, writeStatus } from '@orrery/kube'
import { BURST, inGrowingBatches } from '../batches.js'
import type { WorkloadContext } from '../context.js'
import { claim, controlledBy, eachOwned } from '../ownership.js'
import { isNamespaceEnding, PodControl } from '../pod-control.js'
import { leastMissed } from '../pod-order.js'
import { podFrom } from '../pod-template.js'
import { isActive, nextAvailable } from '../podstate.js'
import type { Family, ReplicasStatus, Wanted } from './family.js'
import { type ReplicaFailure, replicasStatus } from './status.js'

/** The controller of ReplicaSets and ReplicationControllers: keeps the requested number of pods running. */
export function replicasController<T extends NamespacedObject & { status?: ReplicasStatus }>(
  context: WorkloadContext,
  family: Family<T>,
): ControllerSpec {
  const { kind, wanted: wantedBy } = family
  const owners = context.informers.of(kind)
  const { pods, clock, client } = context
  const recorder = context.recorder(family.component)

  const podsNear = (owner: T): Pod[] =>
    owners
      .list(owner.metadata.namespace)
      .filter((other) => family.isKin(owner, other))
      .flatMap((other) => [...controlledBy(pods, other)])
      .filter(isActive)

  const manage = async (owner: T, wanted: Wanted, active: readonly Pod[], signal: AbortSignal) => {
    const control = new PodControl(context, recorder, owner, signal)
    const missing = wanted.replicas - active.length
    if (missing > 0 && wanted.template !== undefined) {
      const draft = podFrom(wanted.template, owner, ownerReferenceTo(owner, kind, { controller: true }))
      await inGrowingBatches(Array.from({ length: Math.min(missing, BURST) }), () => control.create(draft))
    } else if (missing < 0) {
      const surplus = leastMissed(active, podsNear(owner), Math.min(-missing, BURST), clock.now())
      await Promise.all(surplus.map((pod) => control.delete(pod)))
    }
  }

  return {
    name: family.component,
    wakes: [each(owners), eachOwned(pods, owners, (owner) => wantedBy(owner).selector)],
    concurrency: 5,
    async reconcile(ref, { signal }) {
      const owner = owners.get(ref)
      if (owner === undefined) return undefined
      const wanted = wantedBy(owner)
      const active = (await claim(context, Pod, { kind, owner, selector: wanted.selector }, signal)).filter(isActive)
      let failure: ReplicaFailure | undefined
      if (!isBeingDeleted(owner)) {
        try {
          await manage(owner, wanted, active, signal)
        } catch (error) {
          if (signal.aborted || isNamespaceEnding(error)) return undefined
          failure = { reason: active.length < wanted.replicas ? 'FailedCreate' : 'FailedDelete', error }
        }
      }
      const now = clock.now()
      const owned = controlledBy(pods, owner).filter(({ metadata }) => wanted.selector.matches(metadata.labels))
      const outcome = { owner, wanted, pods: owned, failure }
      await writeStatus(client, kind, owner, ({ status }) => replicasStatus(status, outcome, now), { signal })
      if (failure !== undefined) throw failure.error
      const next = nextAvailable(owned.filter(isActive), wanted.minReadySeconds, now)
      return next && requeueAt(next)
    },
  }
}

import { ManifestWork, type ManifestWorkReplicaSet, REPLICA_SET_LABEL } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isAlreadyExists, isNotFound } from '@orrery/kinds/values'
import { isBeingDeleted, type KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { Clock } from '@orrery/kube/clock'
import { patchLocked } from '@orrery/kube/write'
import { inParallel } from '../../parallel.js'
import { planRollout, type RolloutPlan } from '../../rollout/index.js'
import { childPatch, hasSpec, labelPatch, newChild } from './child.js'
import type { Member, Members } from './members.js'
import { replicaSetKey } from './names.js'
import { progressOf } from './progress.js'
import type { ReferencedPlacement } from './referenced-placement.js'

/** The rollout to the clusters of one placement, or why it cannot start. */
export type PlacementRollout = { readonly plan: RolloutPlan } | { readonly problem: string }

/** The state of a replica set after all writes that its rollouts allow now. */
export interface RolloutResult {
  readonly members: Members
  /** By the name of the placement. */
  readonly rollouts: ReadonlyMap<string, PlacementRollout>
  /** Errors to retry. */
  readonly failures: readonly unknown[]
}

/**
 * Creates and updates the works of a replica set, as far as its rollouts allow now. A cluster that cannot have a work does
 * not hold up a rollout. A cluster whose work cannot be written keeps its slot and is retried on every reconcile, so that
 * the error is known on every reconcile.
 */
export class ReplicaSetRollout {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #set: ManifestWorkReplicaSet
  readonly #placements: readonly ReferencedPlacement[]
  readonly #members: Map<string, Member>
  readonly #handled = new Set<string>()
  readonly #failures: unknown[] = []

  constructor(
    context: { readonly client: KubeClient; readonly clock: Clock },
    set: ManifestWorkReplicaSet,
    placements: readonly ReferencedPlacement[],
    members: Members,
  ) {
    this.#client = context.client
    this.#clock = context.clock
    this.#set = set
    this.#placements = placements
    this.#members = new Map(members)
  }

  async run(call: CallOptions): Promise<RolloutResult> {
    const mislabelled = [...this.#members.values()].filter((member) => this.#labelsFor(member) !== undefined)
    await this.#forAll(mislabelled, (member) => this.#label(member, call))
    for (;;) {
      const rollouts = this.#rollouts()
      const next = [...rollouts.values()]
        .flatMap((rollout) => ('plan' in rollout ? rollout.plan.next : []))
        .filter((cluster) => !this.#handled.has(cluster))
      if (next.length === 0) return { members: this.#members, rollouts, failures: this.#failures }
      for (const cluster of next) this.#handled.add(cluster)
      const members = next.map((cluster) => this.#members.get(cluster) as Member)
      await this.#forAll(members, (member) => this.#write(member, call))
      call.signal?.throwIfAborted()
    }
  }

  async #forAll(
    members: readonly Member[],
    write: (member: Member) => Promise<ManifestWork | undefined>,
  ): Promise<void> {
    this.#failures.push(...(await inParallel(members, (member) => this.#attempt(member, () => write(member)))))
  }

  #rollouts(): Map<string, PlacementRollout> {
    const rollouts = new Map<string, PlacementRollout>()
    for (const placement of this.#placements) {
      const { name } = placement.reference
      if (!rollouts.has(name)) rollouts.set(name, this.#rolloutOf(placement))
    }
    return rollouts
  }

  #rolloutOf({ reference, groups }: ReferencedPlacement): PlacementRollout {
    const isIncluded = (cluster: string) => {
      const member = this.#members.get(cluster)
      return member?.placement === reference.name && member.spec !== undefined
    }
    const included = groups.map((group) => ({ ...group, clusters: group.clusters.filter(isIncluded) }))
    const now = this.#clock.now()
    const progress = (cluster: string) => {
      const { work, isUpdated } = this.#members.get(cluster) as Member
      if (work === undefined) return { state: 'ToApply' } as const
      return isUpdated || isBeingDeleted(work) ? progressOf(work) : ({ state: 'ToApply' } as const)
    }
    try {
      return { plan: planRollout(reference.rolloutStrategy, included, progress, now) }
    } catch (error) {
      if (error instanceof RangeError) return { problem: `rolloutStrategy: ${error.message}` }
      throw error
    }
  }

  /** Records an error as the problem of its cluster. */
  async #attempt(member: Member, write: () => Promise<ManifestWork | undefined>): Promise<void> {
    const { cluster, spec } = member
    try {
      const work = await write()
      const isUpdated =
        work !== undefined && spec !== undefined && (work === member.work ? member.isUpdated : hasSpec(work, spec))
      this.#members.set(cluster, { ...member, work, isUpdated })
    } catch (error) {
      if (isNotFound(error)) {
        this.#members.set(cluster, { ...member, ...goneFor(member) })
        return
      }
      this.#failures.push(error)
      this.#members.set(cluster, { ...member, problem: error instanceof Error ? error.message : String(error) })
    }
  }

  /** Labels are not rolled out: they change nothing on a cluster. */
  #labelsFor({ work, placement }: Member): JsonObject | undefined {
    return work === undefined || isBeingDeleted(work) ? undefined : labelPatch(work, this.#set, placement)
  }

  async #label(member: Member, call: CallOptions): Promise<ManifestWork | undefined> {
    const patchOf = (work: ManifestWork) => this.#labelsFor({ ...member, work })
    return member.work && patchLocked(this.#client, ManifestWork, member.work, patchOf, call)
  }

  async #write({ cluster, placement, spec = {}, work }: Member, call: CallOptions): Promise<ManifestWork> {
    const wanted = { set: this.#set, cluster, placement, spec }
    const now = this.#clock.now()
    const known = work ?? (await this.#created(newChild(wanted, now), call))
    return patchLocked(this.#client, ManifestWork, known, (current) => childPatch(current, wanted, now), call)
  }

  /** Creates a work, or finds the one that was created before informers knew. */
  async #created(draft: ReturnType<typeof newChild>, call: CallOptions): Promise<ManifestWork> {
    try {
      return await this.#client.create(ManifestWork, draft, call)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    const { namespace = '', name = '' } = draft.metadata
    const existing = await this.#client.get(ManifestWork, { namespace, name }, call)
    if (existing.metadata.labels?.[REPLICA_SET_LABEL] === replicaSetKey(this.#set.metadata)) return existing
    throw new Error(
      `ManifestWork ${namespace}/${name} exists and belongs to another owner: delete it or rename the replica set`,
    )
  }
}

/**
 * The member after a NotFound error, which needs no retry: the change that fixes it wakes the controller. Either the work was
 * deleted meanwhile, or there is no namespace, which a cluster gets when it is accepted for the first time.
 */
function goneFor({ work, absence = 'it has no namespace on the hub yet' }: Member): Partial<Member> {
  return work === undefined ? { spec: undefined, problem: absence } : { work: undefined, isUpdated: false }
}

import { ManifestWork, type ManifestWorkReplicaSet, REPLICA_SET_LABEL } from '@orrery/api'
import type { JsonObject } from '@orrery/kinds'
import { isAlreadyExists, isNotFound } from '@orrery/kinds/values'
import { type CallOptions, type Clock, isBeingDeleted, type KubeClient, patchLocked } from '@orrery/kube'
import { inParallel } from '../../parallel.js'
import { planRollout, type RolloutPlan } from '../../rollout/index.js'
import { childPatch, isMadeFrom, labelPatch, newChild } from './child.js'
import type { Member, Members } from './members.js'
import { replicaSetKey } from './names.js'
import type { PlacementView } from './placements.js'
import { progressOf } from './progress.js'

/** How the rollout for one placement stands, or why it cannot begin. */
export type Course = { readonly plan: RolloutPlan } | { readonly problem: string }

/** How a replica set stands after everything that could be done now. */
export interface Outcome {
  readonly members: Members
  /** By the name of the placement. */
  readonly courses: ReadonlyMap<string, Course>
  /** What went wrong and may be tried again. */
  readonly failures: readonly unknown[]
}

/**
 * Gives clusters their works, as far as rollouts allow now. A cluster that can have none holds up nobody. One whose work
 * could not be written has its turn until it can: it is tried every time, and so what went wrong is known every time.
 */
export class Handout {
  readonly #client: KubeClient
  readonly #clock: Clock
  readonly #set: ManifestWorkReplicaSet
  readonly #placements: readonly PlacementView[]
  readonly #members: Map<string, Member>
  readonly #handled = new Set<string>()
  readonly #failures: unknown[] = []

  constructor(
    context: { readonly client: KubeClient; readonly clock: Clock },
    set: ManifestWorkReplicaSet,
    placements: readonly PlacementView[],
    members: Members,
  ) {
    this.#client = context.client
    this.#clock = context.clock
    this.#set = set
    this.#placements = placements
    this.#members = new Map(members)
  }

  async run(call: CallOptions): Promise<Outcome> {
    const mislabelled = [...this.#members.values()].filter((member) => this.#labelsFor(member) !== undefined)
    await this.#forAll(mislabelled, (member) => this.#label(member, call))
    for (;;) {
      const courses = this.#courses()
      const next = [...courses.values()]
        .flatMap((course) => ('plan' in course ? course.plan.next : []))
        .filter((cluster) => !this.#handled.has(cluster))
      if (next.length === 0) return { members: this.#members, courses, failures: this.#failures }
      for (const cluster of next) this.#handled.add(cluster)
      const members = next.map((cluster) => this.#members.get(cluster) as Member)
      await this.#forAll(members, (member) => this.#give(member, call))
      call.signal?.throwIfAborted()
    }
  }

  async #forAll(
    members: readonly Member[],
    write: (member: Member) => Promise<ManifestWork | undefined>,
  ): Promise<void> {
    this.#failures.push(...(await inParallel(members, (member) => this.#attempt(member, () => write(member)))))
  }

  #courses(): Map<string, Course> {
    const courses = new Map<string, Course>()
    for (const view of this.#placements) {
      if (!courses.has(view.reference.name)) courses.set(view.reference.name, this.#courseOf(view))
    }
    return courses
  }

  #courseOf({ reference, groups }: PlacementView): Course {
    const takesPart = (cluster: string) => {
      const member = this.#members.get(cluster)
      return member?.placement === reference.name && member.spec !== undefined
    }
    const taking = groups.map((group) => ({ ...group, clusters: group.clusters.filter(takesPart) }))
    const now = this.#clock.now()
    const progress = (cluster: string) => {
      const { work, isUpdated } = this.#members.get(cluster) as Member
      if (work === undefined) return { state: 'ToApply' } as const
      return isUpdated || isBeingDeleted(work) ? progressOf(work) : ({ state: 'ToApply' } as const)
    }
    try {
      return { plan: planRollout(reference.rolloutStrategy, taking, progress, now) }
    } catch (error) {
      if (error instanceof RangeError) return { problem: `rolloutStrategy: ${error.message}` }
      throw error
    }
  }

  /** What fails for one cluster is told as its problem. */
  async #attempt(member: Member, write: () => Promise<ManifestWork | undefined>): Promise<void> {
    const { cluster, spec } = member
    try {
      const work = await write()
      const isUpdated =
        work !== undefined && spec !== undefined && (work === member.work ? member.isUpdated : isMadeFrom(work, spec))
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

  /** Labels are no part of a rollout: nothing on a cluster changes with them. */
  #labelsFor({ work, placement }: Member): JsonObject | undefined {
    return work === undefined || isBeingDeleted(work) ? undefined : labelPatch(work, this.#set, placement)
  }

  async #label(member: Member, call: CallOptions): Promise<ManifestWork | undefined> {
    const patchOf = (work: ManifestWork) => this.#labelsFor({ ...member, work })
    return member.work && patchLocked(this.#client, ManifestWork, member.work, patchOf, call)
  }

  async #give({ cluster, placement, spec = {}, work }: Member, call: CallOptions): Promise<ManifestWork> {
    const wanted = { set: this.#set, cluster, placement, spec }
    const now = this.#clock.now()
    const known = work ?? (await this.#made(newChild(wanted, now), call))
    return patchLocked(this.#client, ManifestWork, known, (current) => childPatch(current, wanted, now), call)
  }

  /** The work, new or made a moment ago. */
  async #made(draft: ReturnType<typeof newChild>, call: CallOptions): Promise<ManifestWork> {
    try {
      return await this.#client.create(ManifestWork, draft, call)
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    const { namespace = '', name = '' } = draft.metadata
    const there = await this.#client.get(ManifestWork, { namespace, name }, call)
    if (there.metadata.labels?.[REPLICA_SET_LABEL] === replicaSetKey(this.#set.metadata)) return there
    throw new Error(`there is a work ${namespace}/${name} already that is not of this replica set`)
  }
}

/**
 * What to make of something that is not there: no failure, whoever brings it about wakes this again. It is the work, which
 * was deleted meanwhile, or else the namespace, which clusters get when they are let in for the first time.
 */
function goneFor({ work, absence = 'it has no namespace on the hub yet' }: Member): Partial<Member> {
  return work === undefined ? { spec: undefined, problem: absence } : { work: undefined, isUpdated: false }
}

import { Placement, PlacementDecision, PlacementEvent } from '@orrery/api'
import { isAlreadyExists, isNotFound, keyOf } from '@orrery/kinds/values'
import { type KubeClient, ownerReferenceTo, writeStatus } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { EventRecorder } from '@orrery/kube/events'
import { changeLabels } from '@orrery/kube/write'
import { inParallel } from '../parallel.js'
import type { DesiredDecision } from './scheduling/index.js'
import type { DecisionLedger } from './state/decision-ledger.js'

/** What events say about new decisions. */
export interface DecisionNotes {
  /** Scores that are too old to count, as a sentence for a warning; undefined if there are none. */
  readonly warning: string | undefined
  /** The scores of clusters, computed when they are needed. */
  readonly scores: () => string
}

/** Writes the PlacementDecisions of placements. Objects that are up to date are not written. */
export class DecisionWriter {
  readonly #client: KubeClient
  readonly #events: EventRecorder
  readonly #ledger: DecisionLedger

  constructor(client: KubeClient, events: EventRecorder, ledger: DecisionLedger) {
    this.#client = client
    this.#events = events
    this.#ledger = ledger
  }

  /** Creates and updates the wanted objects, then deletes the others. Rejects with the first failure after all. */
  async write(
    placement: Placement,
    wanted: readonly DesiredDecision[],
    notes: DecisionNotes,
    call: CallOptions,
  ): Promise<void> {
    const failures = await inParallel(wanted, (one) => this.#ensure(placement, one, notes, call))
    const names = new Set(wanted.map(({ name }) => name))
    const surplus = [...this.#ledger.objects(keyOf(placement.metadata)).values()].filter(
      ({ metadata }) => !names.has(metadata.name),
    )
    failures.push(...(await inParallel(surplus, (object) => this.#delete(placement, object, call))))
    if (failures.length > 0) throw failures[0]
  }

  async #ensure(placement: Placement, wanted: DesiredDecision, notes: DecisionNotes, call: CallOptions): Promise<void> {
    const known = this.#ledger.objects(keyOf(placement.metadata)).get(wanted.name)
    const found = known ?? (await this.#create(placement, wanted, call))
    const updated = await writeStatus(
      this.#client,
      PlacementDecision,
      found,
      () => ({ decisions: [...wanted.decisions] }),
      call,
    )
    if (updated !== found) {
      this.#ledger.wrote(updated)
      this.#recordUpdate(placement, updated, notes)
    }
    const labelled = await changeLabels(this.#client, PlacementDecision, updated, wanted.labels, call)
    if (labelled !== updated) this.#ledger.wrote(labelled)
  }

  async #create(
    placement: Placement,
    { name, labels }: DesiredDecision,
    call: CallOptions,
  ): Promise<PlacementDecision> {
    const { namespace } = placement.metadata
    const ownerReferences = [ownerReferenceTo(placement, Placement, { controller: true })]
    try {
      const created = await this.#client.create(
        PlacementDecision,
        { metadata: { namespace, name, labels, ownerReferences } },
        call,
      )
      this.#ledger.wrote(created)
      this.#record(placement, created, PlacementEvent.DecisionCreate, 'DecisionCreated', 'created')
      return created
    } catch (error) {
      // It exists with other labels, or the informer has not shown it yet.
      if (!isAlreadyExists(error)) throw error
      return this.#client.get(PlacementDecision, { namespace, name }, call)
    }
  }

  async #delete(placement: Placement, object: PlacementDecision, call: CallOptions): Promise<void> {
    const { uid } = object.metadata
    try {
      await this.#client.delete(PlacementDecision, object.metadata, { ...call, preconditions: { uid } })
    } catch (error) {
      if (!isNotFound(error)) throw error
      this.#ledger.deleted(object)
      return
    }
    this.#ledger.deleted(object)
    this.#record(placement, object, PlacementEvent.DecisionDelete, 'DecisionDeleted', 'deleted')
  }

  #recordUpdate(placement: Placement, decision: PlacementDecision, { warning, scores }: DecisionNotes): void {
    const type = warning === undefined ? 'Normal' : 'Warning'
    const suffix = warning === undefined ? '' : `: ${warning}`
    this.#record(placement, decision, PlacementEvent.DecisionUpdate, 'DecisionUpdated', 'updated', { type, suffix })
    const note = scores()
    if (note === '') return
    const reason = PlacementEvent.ScoreUpdate
    this.#events.record({ regarding: placement, related: decision, reason, action: 'ScoreUpdated', note })
  }

  #record(
    placement: Placement,
    decision: PlacementDecision,
    reason: string,
    action: string,
    what: string,
    { type = 'Normal', suffix = '' }: { type?: 'Normal' | 'Warning'; suffix?: string } = {},
  ): void {
    const { namespace, name } = placement.metadata
    const note = `Decision ${decision.metadata.name} is ${what} with placement ${name} in namespace ${namespace}${suffix}`
    this.#events.record({ regarding: placement, related: decision, type, reason, action, note })
  }
}

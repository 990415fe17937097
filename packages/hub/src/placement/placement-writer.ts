import { Placement } from '@orrery/api'
import { isNotFound, keyOf } from '@orrery/kinds/values'
import { writeStatus } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { HubContext } from '../context.js'
import { DecisionWriter } from './decision-writer.js'
import { type PlacementResult, statusWith } from './placement-status.js'
import type { SchedulingInputs } from './scheduling-inputs.js'
import { expiredNote, scoreNote } from './score-note.js'

/** Writes the results of placements: the PlacementDecisions first, then the status, which has their count. */
export class PlacementWriter {
  readonly #context: HubContext
  readonly #inputs: SchedulingInputs
  readonly #decisions: DecisionWriter

  constructor(context: HubContext, inputs: SchedulingInputs) {
    this.#context = context
    this.#inputs = inputs
    this.#decisions = new DecisionWriter(context.client, context.events, inputs.decisions)
  }

  /**
   * Writes what differs. The decisions count for other placements at once. Resolves with false if others have changed
   * or deleted something meanwhile.
   */
  async write(placement: Placement, result: PlacementResult, call: CallOptions): Promise<boolean> {
    const { decisions, placements } = this.#inputs
    const key = keyOf(placement.metadata)
    decisions.assume(
      key,
      result.layout.decisions.flatMap((object) => object.decisions),
    )
    placements.writing(key)
    let after: Placement | undefined
    try {
      after = await this.#write(placement, result, call)
    } catch (error) {
      if (!isNotFound(error)) throw error
    } finally {
      const areDecisionsOurs = decisions.settle(key)
      const isStatusOurs = placements.wrote(key, after)
      if (!areDecisionsOurs || !isStatusOurs) after = undefined
    }
    return after !== undefined
  }

  async #write(placement: Placement, result: PlacementResult, call: CallOptions): Promise<Placement> {
    const { client, clock } = this.#context
    const { schedule, layout } = result
    const notes = { warning: expiredNote(schedule.expiredScores), scores: () => scoreNote(schedule) }
    await this.#decisions.write(placement, layout.decisions, notes, call)
    return writeStatus(client, Placement, placement, (current) => statusWith(current, result, clock.now()), call)
  }
}

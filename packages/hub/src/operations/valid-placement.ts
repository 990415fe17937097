import type { Placement } from '@orrery/api'
import type { PlacementRef } from '../placement/index.js'
import { InvalidPlacement, parsePlacement } from '../placement/parse-placement.js'
import { compilePlacement, Misconfigured } from '../placement/scheduling/index.js'
import { OperationError } from './operation-error.js'

/** A Placement in JSON, with the defaults of the API server. Unknown fields and wrong types are errors, as for `kubectl apply`. */
export function validPlacement(draft: unknown, defaults: PlacementRef): Placement {
  try {
    return parsePlacement(draft, { ...defaults, fieldValidation: 'Strict' })
  } catch (error) {
    if (!(error instanceof InvalidPlacement)) throw error
    throw new OperationError(`invalid placement: ${error.message}`, { cause: error })
  }
}

/** Throws for a placement that the hub would report as misconfigured, or that the API server would refuse. */
export function requireSchedulable(draft: object, ref: PlacementRef): void {
  const placement = validPlacement(draft, ref)
  try {
    const { problem } = compilePlacement(placement)
    if (problem !== undefined) throw problem
  } catch (error) {
    if (!(error instanceof Misconfigured)) throw error
    throw new OperationError(`misconfigured placement: ${error.message}`, { cause: error })
  }
}

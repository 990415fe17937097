import { Placement } from '@orrery/api'
import type { KubeClient } from '@orrery/kube'
import type { CallOptions } from '@orrery/kube/client'
import type { PlacementRef } from '../placement/index.js'
import {
  compilePlacement,
  explain,
  explainMisconfigured,
  Misconfigured,
  type PlacementExplanation as SchedulingExplanation,
} from '../placement/scheduling/index.js'
import { readSnapshot, type SchedulingSnapshot } from '../placement/snapshot.js'
import { clusterSetRemedies, type UnusableSet, unusableSets } from './cluster-set-remedies.js'
import { placementNotFound } from './not-found.js'
import { OperationError } from './operation-error.js'
import { validPlacement } from './valid-placement.js'

/** Why a placement selects the clusters that it selects, and from which cluster sets. Serialisable as JSON. */
export interface PlacementExplanation extends SchedulingExplanation {
  /** The requested cluster sets that the placement cannot select from. */
  readonly unusableSets: readonly UnusableSet[]
  /** What would have to change for the placement to have a cluster set to select from. An entry can name alternatives. */
  readonly toBeSatisfied: readonly string[]
}

/** Explains, for every cluster, why a placement selects it or not with the current clusters and scores. */
export async function explainPlacement(
  client: KubeClient,
  ref: PlacementRef,
  call: CallOptions = {},
): Promise<PlacementExplanation> {
  const { namespace, name } = ref
  const placement = await client.find(Placement, { namespace, name }, call)
  if (placement === undefined) throw new OperationError(placementNotFound(namespace, name))
  return explained(client, placement, call)
}

/**
 * Explains what a placement would select if it existed. `draft` is a Placement in JSON. If a placement of that name exists,
 * its current decisions count, as for an update of it. Unknown fields are errors.
 */
export async function explainWhatIf(
  client: KubeClient,
  draft: unknown,
  { namespace, ...call }: CallOptions & { readonly namespace: string },
): Promise<PlacementExplanation> {
  return explained(client, validPlacement(draft, { namespace, name: 'what-if' }), call)
}

async function explained(client: KubeClient, placement: Placement, call: CallOptions): Promise<PlacementExplanation> {
  const snapshot = await readSnapshot(client, placement, new Date(), call)
  const { sets, existingSets } = snapshot
  return {
    ...scheduled(placement, snapshot),
    unusableSets: unusableSets(sets, existingSets),
    toBeSatisfied: clusterSetRemedies(placement.metadata.namespace, sets, existingSets),
  }
}

function scheduled(placement: Placement, { sets, candidates, state }: SchedulingSnapshot): SchedulingExplanation {
  try {
    return explain(compilePlacement(placement), sets, candidates, state)
  } catch (error) {
    if (error instanceof Misconfigured) return explainMisconfigured(placement.metadata, error, sets, candidates)
    throw error
  }
}

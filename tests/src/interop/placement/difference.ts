import { isDeepStrictEqual } from 'node:util'
import { PlacementCondition } from '@orrery/api'
import type { Outcome } from './outcome.js'

/** A placement with two outcomes. */
export interface Difference {
  readonly placement: string
  readonly ocm: Outcome | undefined
  readonly orrery: Outcome | undefined
}

/** The placements whose outcomes differ, apart from the differences that docs/reference/compatibility.md lists. */
export function differences(
  ocm: ReadonlyMap<string, Outcome>,
  orrery: ReadonlyMap<string, Outcome>,
): readonly Difference[] {
  const placements = new Set([...ocm.keys(), ...orrery.keys()])
  return [...placements]
    .map((placement) => ({ placement, ocm: ocm.get(placement), orrery: orrery.get(placement) }))
    .filter((one) => !isDeepStrictEqual(...comparable(one)))
}

/**
 * The two outcomes without what may differ. Orrery's messages for a misconfigured placement name the field and the fix. And it
 * checks a placement even if there is no cluster to select; OCM then does not check predicates and tolerations.
 */
function comparable({ ocm, orrery }: Difference): [Outcome | undefined, Outcome | undefined] {
  if (ocm === undefined || orrery === undefined) return [ocm, orrery]
  const isChecked = isMisconfigured(ocm) || !isMisconfigured(orrery) || selectsClusters(ocm)
  const conditionsOf = ({ conditions }: Outcome) =>
    conditions
      .filter(({ type }) => isChecked || type !== PlacementCondition.Misconfigured)
      .map((condition) => (isMistake(condition) ? { ...condition, message: '' } : condition))
  return [
    { ...ocm, conditions: conditionsOf(ocm) },
    { ...orrery, conditions: conditionsOf(orrery) },
  ]
}

type Condition = Outcome['conditions'][number]

const isMistake = ({ type, status }: Condition) => type === PlacementCondition.Misconfigured && status === 'True'
const isMisconfigured = ({ conditions }: Outcome) => conditions.some(isMistake)
const selectsClusters = ({ decisions }: Outcome) => decisions.some(({ clusters }) => clusters.length > 0)

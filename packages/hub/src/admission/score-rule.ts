import { calculatorOf, ManagedClusterScore } from '@orrery/api'
import { badRequest } from '@orrery/kinds/values'
import type { ValidatingRule } from './rule.js'

/**
 * A score has the names of its cluster and its calculator. Readers look it up by that name, so one with another name would
 * have no effect.
 */
export const scoreRule: ValidatingRule = {
  name: 'ManagedClusterScoreValidating',
  kind: ManagedClusterScore,
  validate({ object, oldObject }) {
    const score = object as unknown as ManagedClusterScore
    if (oldObject !== undefined || calculatorOf(score) !== undefined) return
    const { namespace, name } = score.metadata
    throw badRequest(
      `metadata.name ${JSON.stringify(name)} is not the name of a score of cluster ${JSON.stringify(namespace)}: ` +
        `use ${namespace}-CALCULATOR, with the name of the calculator in lower case`,
    )
  },
}

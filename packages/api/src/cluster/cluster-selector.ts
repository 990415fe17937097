import { type Read, t } from '../schema/index.js'

const claimSelector = t.object(
  {
    matchExpressions: t.optional(
      t.selectorRequirements({
        description: 'MatchExpressions is a list of requirements on the claims of the cluster. All must be met.',
      }),
    ),
  },
  { description: 'ClaimSelector selects clusters by their claims.' },
)

const celSelector = t.object(
  {
    celExpressions: t.optional(
      t.array(t.string(), {
        description:
          'CelExpressions is a list of CEL expressions over the variable `managedCluster`. All must be true.',
      }),
    ),
  },
  { description: 'CelSelector selects clusters by CEL expressions.' },
)

const selectors = {
  labelSelector: t.optional(t.labelSelector({ description: 'LabelSelector selects clusters by their labels.' })),
  claimSelector: t.optional(claimSelector),
}

/** The schema of a cluster selector: labels, claims and CEL expressions. */
export const clusterSelector = t.object(
  { ...selectors, celSelector: t.optional(celSelector) },
  { description: 'Selects clusters. A cluster must match all selectors that are set.' },
)

/** The schema of the cluster selector of a decision group. */
export const groupClusterSelector = t.object(selectors, {
  description:
    'GroupClusterSelector selects the clusters of the decision group. A cluster must match all selectors that ' +
    'are set.',
})

/** A cluster selector. A cluster must match all selectors that are set. */
export interface ClusterSelector extends Read<typeof clusterSelector> {}
export interface GroupClusterSelector extends Read<typeof groupClusterSelector> {}
export interface ClusterClaimSelector extends Read<typeof claimSelector> {}
export interface ClusterCelSelector extends Read<typeof celSelector> {}

import { type Read, t } from '../schema/index.js'

const claimSelector = t.object(
  {
    matchExpressions: t.optional(
      t.selectorRequirements({ description: 'What the claims of the cluster must be like. All must hold.' }),
    ),
  },
  { description: 'Chooses clusters by what they say of themselves.' },
)

const celSelector = t.object(
  {
    celExpressions: t.optional(
      t.array(t.string(), {
        description: 'Expressions in CEL that must all be true of the cluster, which they know as `managedCluster`.',
      }),
    ),
  },
  { description: 'Chooses clusters by expressions.' },
)

const selectors = {
  labelSelector: t.optional(t.labelSelector({ description: 'Chooses clusters by their labels.' })),
  claimSelector: t.optional(claimSelector),
}

/** The schema of a choice of clusters by labels, claims and expressions. */
export const clusterSelector = t.object(
  { ...selectors, celSelector: t.optional(celSelector) },
  { description: 'Chooses clusters. All that is given must hold.' },
)

/** The schema of a choice of clusters for a group of decisions. */
export const groupClusterSelector = t.object(selectors, {
  description: 'Chooses the clusters of the group. All that is given must hold.',
})

/** A choice of clusters: all that is given must hold. */
export interface ClusterSelector extends Read<typeof clusterSelector> {}
export interface GroupClusterSelector extends Read<typeof groupClusterSelector> {}
export interface ClusterClaimSelector extends Read<typeof claimSelector> {}
export interface ClusterCelSelector extends Read<typeof celSelector> {}

import { QUALIFIED_NAME, type Read, t } from '../schema/index.js'

/** What a taint does to the choice of clusters. */
export const taintEffect = t.enum(['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'], {
  description:
    'NoSelect keeps placements that do not tolerate the taint off the cluster; NoSelectIfNew only where they are not ' +
    'on it already; PreferNoSelect asks them to go elsewhere if they can.',
})

export const taint = t.object(
  {
    key: t.string({ description: 'What the taint is about.', maxLength: 316, pattern: QUALIFIED_NAME }),
    value: t.optional(t.string({ description: 'More about it.', maxLength: 1024 })),
    effect: taintEffect,
    timeAdded: t.optional(
      t.nullable(t.time({ description: 'Since when the cluster has the taint. Set by the hub, and read-only.' })),
    ),
  },
  { description: 'A reason not to choose the cluster.' },
)

/** A reason not to choose a cluster. */
export interface Taint extends Read<typeof taint> {}
export type TaintEffect = Read<typeof taintEffect>

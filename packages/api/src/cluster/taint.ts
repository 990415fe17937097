import { QUALIFIED_NAME, type Read, t } from '../schema/index.js'

/** The effect of a taint on the selection of clusters. */
export const taintEffect = t.enum(['NoSelect', 'PreferNoSelect', 'NoSelectIfNew'], {
  description:
    'Effect is the effect of the taint on placements that do not tolerate it. NoSelect prevents the selection ' +
    'of the cluster and removes it from decisions. NoSelectIfNew prevents new selections and keeps existing ' +
    'decisions. PreferNoSelect lowers the score of the cluster by 1000 for each such taint.',
})

export const taint = t.object(
  {
    key: t.string({ description: 'Key is the key of the taint.', maxLength: 316, pattern: QUALIFIED_NAME }),
    value: t.optional(t.string({ description: 'Value is the value of the taint.', maxLength: 1024 })),
    effect: taintEffect,
    timeAdded: t.optional(
      t.nullable(t.time({ description: 'TimeAdded is when the taint was added. Set by the hub. Read-only.' })),
    ),
  },
  { description: 'Taint keeps placements that do not tolerate it from selecting the cluster.' },
)

/** A taint of a cluster. */
export interface Taint extends Read<typeof taint> {}
export type TaintEffect = Read<typeof taintEffect>

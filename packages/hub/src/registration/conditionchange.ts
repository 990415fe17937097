import { findCondition, type Predicate } from '@orrery/kube'
import type { Condition } from '@orrery/kube/kinds'

interface WithConditions {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/** The status of one of these conditions changed, or an object came or went. */
export function conditionChanged(...types: readonly string[]): Predicate<WithConditions> {
  return ({ before, after }) =>
    before === undefined ||
    after === undefined ||
    types.some(
      (type) =>
        findCondition(before.status?.conditions, type)?.status !==
        findCondition(after.status?.conditions, type)?.status,
    )
}

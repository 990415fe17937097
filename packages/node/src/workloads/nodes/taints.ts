import type { Node, Taint, TaintEffect, Toleration } from '@orrery/kinds'

export const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable'
export const NOT_READY = 'node.kubernetes.io/not-ready'
export const UNREACHABLE = 'node.kubernetes.io/unreachable'

/** Returns the taints of a node, including that of `kubectl cordon` even before the taint is set. */
export function taintsOf({ spec }: Node): readonly Taint[] {
  const taints = spec?.taints ?? []
  if (spec?.unschedulable !== true || taints.some(({ key }) => key === UNSCHEDULABLE)) return taints
  return [...taints, { key: UNSCHEDULABLE, effect: 'NoSchedule' }]
}

export function tolerates(toleration: Toleration, taint: Taint): boolean {
  const { key = '', operator = 'Equal', value = '', effect } = toleration
  if (effect !== undefined && effect !== taint.effect) return false
  if (key !== '' && key !== taint.key) return false
  return operator === 'Exists' || (operator === 'Equal' && key !== '' && value === (taint.value ?? ''))
}

/** Returns the first taint with one of these effects that is not tolerated. */
export function untolerated(
  taints: readonly Taint[],
  tolerations: readonly Toleration[] | undefined,
  effects: readonly TaintEffect[],
): Taint | undefined {
  return taints.find(
    (taint) =>
      effects.includes(taint.effect) && !(tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  )
}

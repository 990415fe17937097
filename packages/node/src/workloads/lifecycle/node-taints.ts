import type { ConditionStatus, Node, Taint, TaintEffect } from '@orrery/kinds'
import { formatTime, isConditionTrue } from '@orrery/kinds/values'
import { NOT_READY, UNREACHABLE, UNSCHEDULABLE } from '../nodes/taints.js'

/** Conditions that keep new pods away, and the taints that do it. */
const PRESSURES: readonly (readonly [condition: string, taint: string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
]

/** Taints that say what a node's conditions say: whoever else sets them is overruled. */
const MANAGED = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...PRESSURES.map(([, key]) => key)])

/** A node's taints as its conditions want them: the same list when it has them already. */
export function taintsFor(node: Node, now: Date): Taint[] {
  const known = node.spec?.taints ?? []
  const wanted = wantedTaints(node)
  const isWanted = (taint: Taint) => wanted.some((one) => isSame(one, taint))
  const kept = known.filter((taint) => !MANAGED.has(taint.key) || isWanted(taint))
  const missing = wanted.filter((taint) => !known.some((one) => isSame(one, taint)))
  if (missing.length === 0 && kept.length === known.length) return known
  // Pods put up with those that chase them away for some time, which begins now.
  const timeAdded = formatTime(now)
  return [...kept, ...missing.map((taint) => ({ ...taint, timeAdded }))]
}

function wantedTaints({ spec, status }: Node): Taint[] {
  const taints: Taint[] = PRESSURES.filter(([condition]) => isConditionTrue(status?.conditions, condition)).map(
    ([, key]) => ({ key, effect: 'NoSchedule' }),
  )
  if (spec?.unschedulable === true) taints.push({ key: UNSCHEDULABLE, effect: 'NoSchedule' })
  const ready = readiness(status?.conditions)
  if (ready === 'True') return taints
  const key = ready === 'False' ? NOT_READY : UNREACHABLE
  // One that has not said anything yet gets no pods, and has none to chase away.
  const effects: TaintEffect[] = ready === undefined ? ['NoSchedule'] : ['NoSchedule', 'NoExecute']
  return [...taints, ...effects.map((effect) => ({ key: ready === undefined ? NOT_READY : key, effect }))]
}

function readiness(conditions: readonly { type: string; status: ConditionStatus }[] | undefined) {
  return conditions?.find(({ type }) => type === 'Ready')?.status
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

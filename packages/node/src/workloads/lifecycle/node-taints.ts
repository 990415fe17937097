import type { ConditionStatus, Node, Taint, TaintEffect } from '@orrery/kinds'
import { formatTime, isConditionTrue } from '@orrery/kinds/values'
import { NOT_READY, UNREACHABLE, UNSCHEDULABLE } from '../nodes/taints.js'

/** The conditions with a `NoSchedule` taint, and the taint of each. */
const PRESSURES: readonly (readonly [condition: string, taint: string])[] = [
  ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'node.kubernetes.io/network-unavailable'],
]

/** Taints that this controller derives from conditions. It overwrites other changes of them. */
const MANAGED = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE, ...PRESSURES.map(([, key]) => key)])

/** Returns the taints of a node that match its conditions: the same list if nothing changes. */
export function taintsFor(node: Node, now: Date): readonly Taint[] {
  const known = node.spec?.taints ?? []
  const wanted = wantedTaints(node)
  const isWanted = (taint: Taint) => wanted.some((one) => isSame(one, taint))
  const kept = known.filter((taint) => !MANAGED.has(taint.key) || isWanted(taint))
  const missing = wanted.filter((taint) => !known.some((one) => isSame(one, taint)))
  if (missing.length === 0 && kept.length === known.length) return known
  // `tolerationSeconds` of pods count from this time.
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
  // A node that has never reported a status gets no pods and has none to evict.
  const effects: TaintEffect[] = ready === undefined ? ['NoSchedule'] : ['NoSchedule', 'NoExecute']
  return [...taints, ...effects.map((effect) => ({ key: ready === undefined ? NOT_READY : key, effect }))]
}

function readiness(conditions: readonly { type: string; status: ConditionStatus }[] | undefined) {
  return conditions?.find(({ type }) => type === 'Ready')?.status
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

import { SEQUENCE_LABEL } from '../../kinds/names.js'
import type { Operation } from '../../kinds/operation.js'
import { isDeliverable, isFinished } from './operation-state.js'

/** Operations have the time of their creation in their name, more exactly than in `creationTimestamp`. */
function inOrder(a: Operation, b: Operation): number {
  const [first, second] = [a.metadata, b.metadata]
  return (
    compare(first.creationTimestamp, second.creationTimestamp) ||
    (a.spec.target.uid === b.spec.target.uid ? sequenceOf(a) - sequenceOf(b) : 0) ||
    compare(first.name, second.name)
  )
}

/**
 * The operations of a zone that can be delivered now, in order. Operations of one target are executed one by one: only the first that
 * is not finished counts.
 */
export function deliverableOf(active: readonly Operation[], now: Date): Operation[] {
  const seen = new Set<string>()
  return active
    .filter((operation) => !isFinished(operation))
    .sort(inOrder)
    .filter((operation) => {
      const key = targetKey(operation)
      const isFirst = !seen.has(key)
      seen.add(key)
      return isFirst && isDeliverable(operation, now)
    })
}

/** Equal for operations that must not run at the same time. */
function targetKey({ spec: { target } }: Operation): string {
  return `${target.kind}/${target.namespace ?? ''}/${target.name}`
}

function sequenceOf({ metadata }: Operation): number {
  return Number(metadata.labels?.[SEQUENCE_LABEL] ?? 0)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

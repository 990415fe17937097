import { isObject } from '@orrery/kinds/values'
import { hasPlainValues, isSealed } from '@orrery/kube/seal'
import { OperationError } from './operation-error.js'

/**
 * Refuses to store values of a Secret in plain text in a work with sealed Secrets: all who may read the work on the hub could
 * read them. A Secret that is in plain text already may stay so.
 */
export function refuseUnsealing(
  work: string,
  current: readonly object[],
  wanted: readonly object[],
  fix: string,
): void {
  if (!current.some(isSealed)) return
  const plain = new Set(current.filter((manifest) => !isSealed(manifest)).map(nameOf))
  const exposed = wanted.filter((manifest) => hasPlainValues(manifest) && !plain.has(nameOf(manifest)))
  if (exposed.length === 0) return
  throw new OperationError(
    `${work} has sealed Secrets, and the values of ${exposed.map(nameOf).join(', ')} would be stored on the hub in plain text: ${fix}`,
  )
}

function nameOf(manifest: object): string {
  const { metadata } = manifest as { metadata?: unknown }
  const { namespace = 'default', name = '' } = isObject(metadata) ? metadata : {}
  return `Secret ${namespace}/${name}`
}

import type { DeleteOption } from './delete-option.js'

interface Named {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

/** Whether an object is deleted with the work, and is therefore owned by it. */
export function isOwnedByWork(object: Named, option: DeleteOption | undefined): boolean {
  if (option?.propagationPolicy === 'Orphan') return false
  if (option?.propagationPolicy !== 'SelectivelyOrphan') return true
  const rules = option.selectivelyOrphans?.orphaningRules ?? []
  return !rules.some(
    ({ group = '', resource, namespace = '', name }) =>
      group === object.group && resource === object.resource && namespace === object.namespace && name === object.name,
  )
}

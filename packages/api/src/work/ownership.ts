import type { DeleteOption } from './delete-option.js'

interface Named {
  readonly group: string
  readonly resource: string
  readonly namespace: string
  readonly name: string
}

type OrphaningRules = NonNullable<NonNullable<DeleteOption['selectivelyOrphans']>['orphaningRules']>

/** Whether an object is deleted with the work, and is therefore owned by it. */
export function isOwnedByWork(object: Named, option: DeleteOption | undefined): boolean {
  if (option?.propagationPolicy === 'Orphan') return false
  if (option?.propagationPolicy !== 'SelectivelyOrphan') return true
  const rules = option.selectivelyOrphans?.orphaningRules
  return rules === undefined || !orphansOf(rules).has(keyOf(object))
}

/** The orphans of a work, which can have as many rules as objects. */
const known = new WeakMap<OrphaningRules, ReadonlySet<string>>()

function orphansOf(rules: OrphaningRules): ReadonlySet<string> {
  let orphans = known.get(rules)
  if (orphans === undefined) {
    orphans = new Set(rules.map(({ group = '', namespace = '', ...rest }) => keyOf({ group, namespace, ...rest })))
    known.set(rules, orphans)
  }
  return orphans
}

function keyOf({ group, resource, namespace, name }: Named): string {
  return JSON.stringify([group, resource, namespace, name])
}

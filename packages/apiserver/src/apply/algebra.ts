import { type Element, fieldElement } from './element.js'
import { EMPTY, type FieldSet, isEmpty, isMember, LEAF, makeNode, SELF } from './field-set.js'

/** Returns the set of some paths, each given as field names: `fieldSet(['spec', 'replicas'])`. */
export function fieldSet(...paths: readonly (readonly string[])[]): FieldSet {
  return paths.reduce((set, path) => union(set, pathSet(path.map(fieldElement))), EMPTY)
}

/** Returns the set of one path. */
export function pathSet(path: readonly Element[]): FieldSet {
  return path.reduceRight<FieldSet>((node, element) => ({ [element]: node }), LEAF)
}

/** Returns the paths that are in either set. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b || isEmpty(b)) return a
  if (isEmpty(a)) return b
  return joinChildren(a, b, false)
}

/** Returns the paths that are in any of the sets. Sets of similar size are joined, so that no large one is copied for each. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
  let left = sets
  while (left.length > 1) {
    const joined: FieldSet[] = []
    for (let at = 0; at < left.length; at += 2) joined.push(union(left[at] as FieldSet, left[at + 1] ?? EMPTY))
    left = joined
  }
  return left[0] ?? EMPTY
}

function joinNodes(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a
  const member = isMember(a) || isMember(b)
  return joinChildren(a, b, member)
}

function joinChildren(a: FieldSet, b: FieldSet, member: boolean): FieldSet {
  const children = new Map<Element, FieldSet>()
  for (const element in a) if (element !== SELF) children.set(element, a[element] as FieldSet)
  for (const element in b) {
    if (element === SELF) continue
    const node = b[element] as FieldSet
    const other = children.get(element)
    children.set(element, other === undefined ? node : joinNodes(other, node))
  }
  return makeNode(member, children) ?? EMPTY
}

/** Returns the paths that are in both sets. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  return keepChildren(a, false, (node, element) => commonNode(node, b[element])) ?? EMPTY
}

function commonNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined || a === b) return b
  return keepChildren(a, isMember(a) && isMember(b), (node, element) => commonNode(node, b[element]))
}

/** Returns the paths of the first set that are not in the second. Paths below a path of the second set stay. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a
  return keepChildren(a, false, (node, element) => remainingNode(node, b[element])) ?? EMPTY
}

function remainingNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a
  return keepChildren(a, isMember(a) && !isMember(b), (node, element) => remainingNode(node, b[element]))
}

/** Returns the paths of the first set that are neither in the second nor below one of its paths. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmpty(b)) return a
  return keepChildren(a, false, (node, element) => prunedNode(node, b[element])) ?? EMPTY
}

function prunedNode(a: FieldSet, b: FieldSet | undefined): FieldSet | undefined {
  if (b === undefined) return a
  if (isMember(b)) return undefined
  return keepChildren(a, isMember(a), (node, element) => prunedNode(node, b[element]))
}

/**
 * Like `difference`, but also removes paths below a leaf of the second set. A leaf means that the value changed as a
 * whole, so ownership of its parts comes from an earlier, more granular schema.
 */
export function withoutChanged(a: FieldSet, changed: FieldSet): FieldSet {
  if (isEmpty(changed)) return a
  return keepChildren(a, false, (node, element) => unchangedNode(node, changed[element])) ?? EMPTY
}

function unchangedNode(a: FieldSet, changed: FieldSet | undefined): FieldSet | undefined {
  if (changed === undefined) return a
  if (isEmpty(changed)) return undefined
  return keepChildren(a, isMember(a) && !isMember(changed), (node, element) => unchangedNode(node, changed[element]))
}

/** Returns a node with the children that a function keeps: the node itself if it keeps all of them. */
function keepChildren(
  node: FieldSet,
  member: boolean,
  keep: (child: FieldSet, element: Element) => FieldSet | undefined,
): FieldSet | undefined {
  const children: { [element: Element]: FieldSet } = {}
  let changed = node[SELF] !== undefined && !member
  let empty = true
  if (member) children[SELF] = LEAF
  for (const element in node) {
    if (element === SELF) continue
    const child = node[element] as FieldSet
    const kept = keep(child, element)
    changed ||= kept !== child
    if (kept === undefined) continue
    children[element] = kept
    empty = false
  }
  if (empty) return member ? LEAF : undefined
  return changed ? children : node
}

import { type Element, formatElement } from './element.js'
import { sortElements } from './order.js'

/**
 * A set of field paths, as the trie that `fieldsV1` is on the wire. A node without children is a member of the set;
 * a node with children is a member when it has a `.` as well. The root is no field: an empty root is the empty set.
 * Sets are never changed once built, so they share sub-trees with each other and with stored objects.
 */
export interface FieldSet {
  readonly [element: Element]: FieldSet
}

export type Path = readonly Element[]

/** The mark of membership on a node that has children. */
export const SELF = '.'

/** A node that is a member and has nothing below it; at the root, the empty set. */
export const LEAF: FieldSet = Object.freeze({})
export const EMPTY: FieldSet = LEAF

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

export function isMember(node: FieldSet): boolean {
  return node[SELF] !== undefined || isEmpty(node)
}

/** Whether a path is in the set. No set has the empty path: nobody owns an object as a whole. */
export function hasPath(set: FieldSet, path: Path): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) {
    node = node[element]
    if (node === undefined) return false
  }
  return path.length > 0 && isMember(node)
}

/** Calls back for every path of the set: at each level first the members, then what is below. */
export function eachPath(set: FieldSet, visit: (path: Path) => void): void {
  walkPaths(set, [], visit)
}

function walkPaths(node: FieldSet, path: Element[], visit: (path: Path) => void): void {
  for (const element in node) {
    if (element !== SELF && isMember(node[element] as FieldSet)) visit([...path, element])
  }
  for (const element in node) {
    if (element === SELF) continue
    path.push(element)
    walkPaths(node[element] as FieldSet, path, visit)
    path.pop()
  }
}

/** A path as error messages show it: `.spec.containers[name="web"].image`. */
export function formatPath(path: Path): string {
  return path.map(formatElement).join('')
}

interface MutableNode {
  [element: Element]: FieldSet
}

/** Makes a node from children that are in any order. Undefined when there is nothing to it. */
export function makeNode(member: boolean, children: ReadonlyMap<Element, FieldSet>): FieldSet | undefined {
  if (children.size === 0) return member ? LEAF : undefined
  const node: MutableNode = {}
  if (member) node[SELF] = LEAF
  for (const element of sortElements([...children.keys()])) node[element] = children.get(element) as FieldSet
  return node
}

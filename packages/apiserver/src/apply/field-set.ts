import { type Element, formatElement } from './element.js'
import { sortElements } from './order.js'

/**
 * A set of field paths, as the trie of `fieldsV1`. A node without children is a member of the set; a node with children
 * is a member if it also has a `.`. The root is not a field: an empty root is the empty set. Sets are immutable, so
 * they share subtrees with each other and with stored objects.
 */
export interface FieldSet {
  readonly [element: Element]: FieldSet
}

export type Path = readonly Element[]

/** The mark of membership of a node with children. */
export const SELF = '.'

/** A member without children; at the root, the empty set. */
export const LEAF: FieldSet = Object.freeze({})
export const EMPTY: FieldSet = LEAF

export function isEmpty(set: FieldSet): boolean {
  for (const _ in set) return false
  return true
}

export function isMember(node: FieldSet): boolean {
  return node[SELF] !== undefined || isEmpty(node)
}

/** Returns whether a path is in the set. No set contains the empty path: no manager owns an object as a whole. */
export function hasPath(set: FieldSet, path: Path): boolean {
  let node: FieldSet | undefined = set
  for (const element of path) {
    node = node[element]
    if (node === undefined) return false
  }
  return path.length > 0 && isMember(node)
}

/** Calls back for every path of the set: at each level first the members, then their children. */
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

/** Formats a path for error messages: `.spec.containers[name="web"].image`. */
export function formatPath(path: Path): string {
  return path.map(formatElement).join('')
}

interface MutableNode {
  [element: Element]: FieldSet
}

/** Creates a node from unordered children. Returns undefined for an empty node. */
export function makeNode(member: boolean, children: ReadonlyMap<Element, FieldSet>): FieldSet | undefined {
  if (children.size === 0) return member ? LEAF : undefined
  const node: MutableNode = {}
  if (member) node[SELF] = LEAF
  if (children.size === 1) for (const [element, child] of children) node[element] = child
  else for (const element of sortElements([...children.keys()])) node[element] = children.get(element) as FieldSet
  return node
}

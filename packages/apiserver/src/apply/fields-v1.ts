import type { JsonValue } from '@orrery/kinds'
import { isObject } from '@orrery/kinds/values'
import { canonicalJson, type Element } from './element.js'
import { EMPTY, type FieldSet, LEAF, makeNode, SELF } from './field-set.js'

/**
 * Parses a field set from a client. Unknown kinds of elements are dropped, their notation is normalised, and they are
 * sorted. Throws an `Error` with the problem.
 */
export function parseFieldSet(fields: JsonValue | undefined): FieldSet {
  if (fields === undefined || fields === null) return EMPTY
  if (!isObject(fields)) throw new Error('fieldsV1 is not an object')
  const children = parseChildren(fields)
  return makeNode(false, children) ?? EMPTY
}

function parseNode(value: JsonValue): FieldSet {
  if (value === null) return LEAF
  if (!isObject(value)) throw new Error('a node of fieldsV1 is not an object')
  const children = parseChildren(value)
  return makeNode(children.size === 0 || Object.hasOwn(value, SELF), children) ?? LEAF
}

function parseChildren(node: { [key: string]: JsonValue }): Map<Element, FieldSet> {
  const children = new Map<Element, FieldSet>()
  for (const key of Object.keys(node)) {
    if (key === SELF) continue
    const element = parseElement(key)
    if (element !== undefined) children.set(element, parseNode(node[key] as JsonValue))
  }
  return children
}

function parseElement(key: string): Element | undefined {
  if (key.length < 2) throw new Error('key must be 2 characters long:')
  if (key[1] !== ':') throw new Error(`missing colon: ${key}`)
  const content = key.slice(2)
  switch (key[0]) {
    case 'f':
      return key
    case 'k': {
      const members = JSON.parse(content) as JsonValue
      if (!isObject(members)) throw new Error(`not a key of a list: ${content}`)
      return `k:${canonicalJson(members)}`
    }
    case 'v':
      return `v:${canonicalJson(JSON.parse(content) as JsonValue)}`
    case 'i':
      if (!/^[+-]?\d{1,15}$/.test(content))
        throw new Error(`strconv.Atoi: parsing ${JSON.stringify(content)}: invalid syntax`)
      return `i:${Number(content)}`
    default:
      return undefined
  }
}

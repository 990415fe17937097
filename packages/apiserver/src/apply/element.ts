import type { JsonObject, JsonValue } from '@orrery/kinds'
import type { ListSchema } from '@orrery/kinds/tables'
import { getOwn } from '@orrery/kinds/values'

/**
 * One step of a field path, in the form of `fieldsV1`: `f:<name>` a field, `k:{"<key>":<value>}` an item of an
 * associative list, `v:<value>` an item of a set, `i:<index>` an item of an ordinary list. Two elements are equal if
 * their strings are.
 */
export type Element = string

/** A list item has no usable key. */
export class UnkeyedItem extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnkeyedItem'
  }
}

export function fieldElement(name: string): Element {
  return `f:${name}`
}

/** Returns the element of a list item, by the topology of its list. Throws `UnkeyedItem` if it has none. */
export function itemElement(item: JsonValue, list: ListSchema): Element {
  return list.topology === 'map' ? keyElement(item, list) : valueElement(item)
}

function valueElement(item: JsonValue): Element {
  if (item === null) throw new UnkeyedItem("associative list without keys has an element that's an explicit null")
  if (typeof item !== 'object') return `v:${canonicalJson(item)}`
  throw new UnkeyedItem(
    Array.isArray(item)
      ? 'not supported: associative list with lists as elements'
      : "associative list without keys has an element that's a map type",
  )
}

function keyElement(item: JsonValue, list: ListSchema): Element {
  if (item === null) throw new UnkeyedItem('associative list with keys may not have a null element')
  if (typeof item !== 'object' || Array.isArray(item)) {
    throw new UnkeyedItem('associative list with keys may not have non-map elements')
  }
  let members = ''
  for (const key of keyFieldsOf(list)) {
    const value = getOwn(item, key.name) ?? key.default
    if (value === undefined) continue
    members += `${members === '' ? '' : ','}${key.json}:${canonicalJson(value)}`
  }
  if (members === '') {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ')
    const what = `associative list with keys has an element that omits all key fields [${names}]`
    throw new UnkeyedItem(`${what} (and doesn't have default values for any key fields)`)
  }
  return `k:{${members}}`
}

interface KeyField {
  readonly name: string
  readonly json: string
  readonly default: JsonValue | undefined
}

const keyFields = new WeakMap<ListSchema, readonly KeyField[]>()

function keyFieldsOf(list: ListSchema): readonly KeyField[] {
  let fields = keyFields.get(list)
  if (fields === undefined) {
    const items = list.items
    fields = [...list.keys].sort().map((name) => ({
      name,
      json: canonicalJson(name),
      default: items.type === 'struct' ? items.fields.get(name)?.default : undefined,
    }))
    keyFields.set(list, fields)
  }
  return fields
}

const NEEDS_ESCAPE = /[<>&\u2028\u2029]/
const ESCAPED = /[<>&\u2028\u2029]/g

/** Formats JSON with sorted members and Go's escapes, so that equal values have equal text. */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') {
    const json = JSON.stringify(value)
    return NEEDS_ESCAPE.test(json) ? json.replace(ESCAPED, escapeCharacter) : json
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.keys(value).sort()
  return `{${members.map((key) => `${canonicalJson(key)}:${canonicalJson(value[key] as JsonValue)}`).join(',')}}`
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Returns the value of a list element: the key members, the set value, or the index. */
export function elementValue(element: Element): JsonValue {
  return JSON.parse(element.slice(2))
}

/** Formats an element for error messages: `.spec`, `[name="web"]`, `[="finalizer"]`, `[3]`. */
export function formatElement(element: Element): string {
  const content = element.slice(2)
  switch (element[0]) {
    case 'f':
      return `.${content}`
    case 'k': {
      const members = Object.entries(elementValue(element) as JsonObject)
      return `[${members.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(',')}]`
    }
    case 'v':
      return `[=${JSON.stringify(elementValue(element))}]`
    default:
      return `[${content}]`
  }
}

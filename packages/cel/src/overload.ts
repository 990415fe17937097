import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  paramType,
  stringType,
  timestampType,
  typeType,
  typeTypeOf,
  uintType,
} from './type.js'
import type { CelValue } from './values/value.js'

/**
 * The cost of a call, in the units of cel-go and Kubernetes: one unit is about one simple operation. It is known
 * before the call, except if it depends on the result.
 */
export type CallCost =
  | { readonly when: 'fixed'; readonly cost: number }
  | { readonly when: 'before'; readonly cost: (args: readonly CelValue[]) => number }
  | { readonly when: 'after'; readonly cost: (result: CelValue, args: readonly CelValue[]) => number }

/** One overload of a function. */
export interface Overload {
  /** cel-go's name for it: cost rules refer to it. */
  readonly id: string
  readonly function: string
  /** Called on its first argument: `a.f(b)`. */
  readonly member: boolean
  readonly args: readonly CelType[]
  readonly result: CelType
  /** The type variables in its signature. */
  readonly variables: readonly string[]
  readonly call: (...args: CelValue[]) => CelValue
  /** Its cost, for functions that Kubernetes does not have. */
  readonly cost?: CallCost
}

const named: ReadonlyMap<string, CelType> = new Map([
  ['bool', boolType],
  ['int', intType],
  ['uint', uintType],
  ['double', doubleType],
  ['string', stringType],
  ['bytes', bytesType],
  ['null', nullType],
  ['dyn', dynType],
  ['type', typeType],
  ['timestamp', timestampType],
  ['duration', durationType],
])

// biome-ignore lint/suspicious/noExplicitAny: each overload is called with arguments its signature admits
type Call = (...args: any[]) => CelValue

/**
 * Declares an overload by its signature: `string.startsWith(string) -> bool`, `size(list(A)) -> int`.
 * Capital letters are type variables; names with a dot, such as `net.IP`, are types of a library.
 */
export function overload(id: string, signature: string, call: Call, cost?: CallCost): Overload {
  const reader = new SignatureReader(signature)
  const { name, receiver, params, result } = reader.read()
  const args = receiver === undefined ? params : [receiver, ...params]
  const variables = [...new Set([...args, result].flatMap(variablesOf))]
  const declared = { id, function: name, member: receiver !== undefined, args, result, variables, call }
  return cost === undefined ? declared : { ...declared, cost }
}

function variablesOf(type: CelType): string[] {
  return type.kind === 'param' ? [type.name] : type.params.flatMap(variablesOf)
}

class SignatureReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  read(): { name: string; receiver: CelType | undefined; params: CelType[]; result: CelType } {
    const { receiver, name } = this.#head()
    this.#skip('(')
    const params = this.#types()
    this.#skip(' -> ')
    return { name, receiver, params, result: this.#type() }
  }

  /** The function's name, after its receiver type: `list(A).size`, `<net.IP>.family`, or only `math.abs`. */
  #head(): { receiver: CelType | undefined; name: string } {
    const member = /^(<[\w.]+>|\w+(?:\(.*?\))?)\.([@a-zA-Z]+)\(/.exec(this.#text)
    const start = member?.[1] ?? ''
    const isType = start.startsWith('<') || start.includes('(') || named.has(start) || /^[A-Z]$/.test(start)
    if (member === null || !isType) {
      const end = this.#text.indexOf('(')
      this.#at = end
      return { receiver: undefined, name: this.#text.slice(0, end) }
    }
    const receiver = this.#type()
    this.#skip('.')
    const nameEnd = this.#text.indexOf('(', this.#at)
    const name = this.#text.slice(this.#at, nameEnd)
    this.#at = nameEnd
    return { receiver, name }
  }

  #types(): CelType[] {
    const types: CelType[] = []
    while (this.#text[this.#at] !== ')') {
      if (types.length > 0) this.#skip(', ')
      types.push(this.#type())
    }
    this.#skip(')')
    return types
  }

  #type(): CelType {
    if (this.#text[this.#at] === '<') {
      const end = this.#text.indexOf('>', this.#at)
      const name = this.#text.slice(this.#at + 1, end)
      this.#at = end + 1
      return opaqueType(name)
    }
    const word = /\w+/y
    word.lastIndex = this.#at
    const name = word.exec(this.#text)?.[0] ?? ''
    this.#at += name.length
    if (this.#text[this.#at] === '(') {
      this.#skip('(')
      return generic(name, this.#types())
    }
    return named.get(name) ?? paramType(name)
  }

  #skip(expected: string): void {
    if (!this.#text.startsWith(expected, this.#at)) {
      throw new Error(`signature ${this.#text}: expected ${JSON.stringify(expected)} at ${this.#at}`)
    }
    this.#at += expected.length
  }
}

function generic(name: string, params: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = params
  if (name === 'list') return listType(first)
  if (name === 'map') return mapType(first, second)
  return name === 'type' ? typeTypeOf(first) : optionalType(first)
}

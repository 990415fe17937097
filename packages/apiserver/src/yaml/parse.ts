import type { JsonValue } from '@orrery/kinds'
import { cloneJson } from '@orrery/kinds/values'
import { readBlockScalar } from './block-scalar.js'
import { Cursor, isBlank, YamlError } from './cursor.js'
import { MappingBuilder } from './mapping.js'
import { isNotJson, readNumber, readWord } from './resolve.js'
import { readDoubleQuoted, readPlain, readPlainLine, readSingleQuoted } from './scalars.js'

export interface ParsedYaml {
  readonly value: JsonValue
  /** Go's messages about duplicate keys of a mapping. */
  readonly repeats: readonly string[]
}

/** The maximum nesting, since every later walk over the value is recursive. */
const MAX_DEPTH = 500
/** The maximum size that aliases may add, in characters. */
const MAX_ALIASED = 3 * 1024 * 1024
/** An implicit key is on one line and no longer than this (YAML 1.1, section 9.2). */
const MAX_KEY = 1024

/**
 * Parses the first document of a YAML text like Go's conversion of YAML to JSON: the words of YAML 1.1, merge keys,
 * anchors. Takes linear time for any text. Throws `YamlError`.
 */
export function parseYaml(text: string): ParsedYaml {
  return new Parser(new Cursor(text)).document()
}

interface Properties {
  anchor: string
  tag: string
}

/** A scalar that may turn out to be the first key of a mapping. */
interface Scalar {
  readonly text: string
  /** Plain scalars can be numbers, booleans or null; quoted ones are strings. */
  readonly isPlain: boolean
}

interface Anchored {
  readonly value: JsonValue
  readonly size: number
}

class Parser {
  readonly #cursor: Cursor
  readonly #anchors = new Map<string, Anchored>()
  readonly #repeats: string[] = []
  #depth = 0
  /** Grows with everything read: the difference is the size of a node. */
  #size = 0
  #aliased = 0

  constructor(cursor: Cursor) {
    this.#cursor = cursor
  }

  document(): ParsedYaml {
    const cursor = this.#cursor
    this.#skipProlog()
    const value = this.#block(0, true)
    cursor.skipToContent()
    if (!cursor.isEnd) throw cursor.error('did not find expected <document start>')
    return { value, repeats: this.#repeats }
  }

  /** Skips directives, comments and the document start marker. */
  #skipProlog(): void {
    const cursor = this.#cursor
    cursor.skipToContent()
    while (cursor.char === '%' && cursor.column === 0) {
      cursor.skipLine()
      cursor.skipToContent()
    }
    if (cursor.column === 0 && cursor.isBoundary() && cursor.char === '-') cursor.at += 3
  }

  /**
   * Reads a block node whose lines are at `minColumn` or beyond. `mayStartHere` is whether a collection can start on
   * the line of its introduction, as after `- `; after `key: ` it cannot.
   */
  #block(minColumn: number, mayStartHere: boolean): JsonValue {
    this.#enter()
    const value = this.#blockNode(minColumn, mayStartHere)
    this.#depth--
    return value
  }

  #blockNode(minColumn: number, mayStartHere: boolean): JsonValue {
    const cursor = this.#cursor
    const before = this.#size
    let mayNest = mayStartHere
    if (cursor.skipToContent()) mayNest = true
    if (this.#isOutside(minColumn)) {
      if (!mayStartHere && this.#isSequenceAt(minColumn - 1)) return this.#blockSequence(minColumn - 1)
      return null
    }
    const column = cursor.column
    const properties = this.#properties()
    if (properties !== undefined) {
      const crossed = cursor.skipToContent()
      if (this.#isOutside(minColumn)) return this.#keep(properties, before, this.#empty(properties))
      if (!crossed && this.#isKeyAhead()) {
        if (!mayNest) throw cursor.error('mapping values are not allowed in this context')
        return this.#blockMapping(column, properties)
      }
      mayNest ||= crossed
    }
    return this.#keep(properties, before, this.#blockContent(minColumn, mayNest, properties))
  }

  #blockContent(minColumn: number, mayNest: boolean, properties: Properties | undefined): JsonValue {
    const cursor = this.#cursor
    const { char, column } = cursor
    if ((char === '-' || char === '?') && cursor.isIndicator()) {
      if (!mayNest) throw cursor.error('block sequence entries are not allowed in this context')
      return char === '-' ? this.#blockSequence(column) : this.#blockMapping(column, undefined)
    }
    if (char === '|' || char === '>') return this.#resolve(this.#text(readBlockScalar(cursor, minColumn)), properties)
    if (this.#isKeyAhead()) {
      if (!mayNest) throw cursor.error('mapping values are not allowed in this context')
      return this.#blockMapping(column, undefined)
    }
    if (char === '*') return this.#alias()
    if (char === '[' || char === '{') return this.#flowCollection()
    return this.#resolve(this.#scalar(false, minColumn), properties)
  }

  #isOutside(minColumn: number): boolean {
    return this.#cursor.isEnd || this.#cursor.column < minColumn
  }

  #isSequenceAt(column: number): boolean {
    const cursor = this.#cursor
    return !cursor.isEnd && cursor.column === column && cursor.char === '-' && cursor.isIndicator()
  }

  #blockSequence(column: number): JsonValue {
    const cursor = this.#cursor
    const items: JsonValue[] = []
    while (this.#isSequenceAt(column)) {
      cursor.at++
      items.push(this.#block(column + 1, true))
      cursor.skipToContent()
    }
    if (!this.#isOutside(column + 1)) throw cursor.error("did not find expected '-' indicator")
    return items
  }

  /** `first` are properties already read, which belong to the first key. */
  #blockMapping(column: number, first: Properties | undefined): JsonValue {
    const cursor = this.#cursor
    const mapping = new MappingBuilder(cursor, this.#repeats)
    let properties = first
    do {
      const { at } = cursor
      const explicit = properties === undefined && cursor.char === '?' && cursor.isIndicator()
      if (explicit) cursor.at++
      else properties ??= this.#properties()
      const isMerge = cursor.text.startsWith('<<', cursor.at) && properties === undefined
      const key = explicit ? this.#keyText(this.#block(column + 1, true)) : this.#implicitKey(properties)
      properties = undefined
      if (explicit) cursor.skipToContent()
      else cursor.skipSpaces()
      const hasValue = cursor.char === ':' && cursor.isIndicator() && (!explicit || cursor.column === column)
      if (!hasValue && !explicit) throw cursor.error("could not find expected ':'")
      if (hasValue) cursor.at++
      mapping.set(key, hasValue ? this.#block(column + 1, explicit) : null, isMerge && key === '<<', at)
      cursor.skipToContent()
    } while (!this.#isOutside(column) && cursor.column === column && !this.#isSequenceAt(column))
    if (!this.#isOutside(column + 1)) throw cursor.error('did not find expected key')
    return mapping.finish()
  }

  #implicitKey(properties: Properties | undefined): string {
    const cursor = this.#cursor
    const before = this.#size
    const { char } = cursor
    cursor.skipSpaces()
    if (cursor.char === '*') return this.#keyText(this.#alias())
    if (char === '[' || char === '{') throw cursor.error('invalid map key')
    const scalar = char === '"' || char === "'" ? this.#scalar(false, 0) : this.#plain(readPlainLine(cursor, false))
    return this.#keyText(this.#keep(properties, before, this.#resolve(scalar, properties)))
  }

  /** Returns whether a key and its `:` follow. Looks at one line only, and no further than a key can reach. */
  #isKeyAhead(): boolean {
    const cursor = this.#cursor
    const { at, lineStart } = cursor
    const { text } = cursor
    const { char } = cursor
    let isKey = false
    if (char === '"' || char === "'") {
      const end = endOfQuoted(text, at, char)
      let next = end
      while (text[next] === ' ' || text[next] === '\t') next++
      isKey = end > 0 && text[next] === ':' && isBlank(text[next + 1] ?? '')
    } else if (char === '*') {
      while (!isBlank(cursor.char)) cursor.at++
      cursor.skipSpaces()
      isKey = cursor.char === ':' && cursor.isIndicator()
    } else if (char !== '[' && char !== '{') {
      readPlainLine(cursor, false)
      cursor.skipSpaces()
      isKey = cursor.char === ':' && cursor.at - at <= MAX_KEY
    }
    cursor.at = at
    cursor.lineStart = lineStart
    return isKey
  }

  #flowNode(): JsonValue {
    this.#enter()
    const before = this.#size
    const properties = this.#properties()
    if (properties !== undefined) this.#skipInFlow()
    const value = this.#keep(properties, before, this.#flowContent(properties))
    this.#depth--
    return value
  }

  #flowContent(properties: Properties | undefined): JsonValue {
    const { char } = this.#cursor
    if (char === '*') return this.#alias()
    if (char === '[' || char === '{') return this.#flowCollection()
    if (char === ',' || char === ']' || char === '}' || (char === ':' && this.#isFlowColon(false))) {
      return this.#empty(properties)
    }
    return this.#resolve(this.#scalar(true, 0), properties)
  }

  #flowCollection(): JsonValue {
    return this.#cursor.char === '[' ? this.#flowSequence() : this.#flowMapping()
  }

  #flowSequence(): JsonValue {
    const cursor = this.#cursor
    const items: JsonValue[] = []
    cursor.at++
    for (this.#skipInFlow(); cursor.char !== ']'; this.#endItem(']')) {
      const explicit = cursor.char === '?' && cursor.isIndicator()
      if (explicit) this.#advanceInFlow()
      const item = this.#flowEntry()
      if (explicit || item.hasValue) {
        const pair = new MappingBuilder(cursor, this.#repeats)
        pair.set(this.#keyText(item.key), item.value, false, cursor.at)
        items.push(pair.finish())
      } else items.push(item.key)
    }
    cursor.at++
    return items
  }

  #flowMapping(): JsonValue {
    const cursor = this.#cursor
    const mapping = new MappingBuilder(cursor, this.#repeats)
    cursor.at++
    for (this.#skipInFlow(); cursor.char !== '}'; this.#endItem('}')) {
      if (cursor.char === '?' && cursor.isIndicator()) this.#advanceInFlow()
      const { at } = cursor
      const isMerge = cursor.text.startsWith('<<', at)
      const { key, value } = this.#flowEntry()
      mapping.set(this.#keyText(key), value, isMerge && key === '<<', at)
    }
    cursor.at++
    return mapping.finish()
  }

  /** Reads `key` or `key: value`. */
  #flowEntry(): { key: JsonValue; value: JsonValue; hasValue: boolean } {
    const cursor = this.#cursor
    const { char } = cursor
    const key = this.#flowNode()
    this.#skipInFlow()
    const hasValue = cursor.char === ':' && this.#isFlowColon(char === '"' || char === "'")
    if (!hasValue) return { key, value: null, hasValue }
    this.#advanceInFlow()
    return { key, value: this.#flowNode(), hasValue }
  }

  /** After a quoted key `:` needs no space, as in JSON. */
  #isFlowColon(afterQuoted: boolean): boolean {
    const next = this.#cursor.text[this.#cursor.at + 1] ?? ''
    return afterQuoted || isBlank(next) || ',[]{}'.includes(next)
  }

  /** Skips the comma after an item, unless the collection ends. */
  #endItem(closing: string): void {
    const cursor = this.#cursor
    this.#skipInFlow()
    if (cursor.char === ',') this.#advanceInFlow()
    else if (cursor.char !== closing) throw cursor.error(`did not find expected ',' or '${closing}'`)
  }

  #advanceInFlow(): void {
    this.#cursor.at++
    this.#skipInFlow()
  }

  /** Indentation has no meaning inside a flow collection. */
  #skipInFlow(): void {
    const cursor = this.#cursor
    for (;;) {
      cursor.skipSpaces()
      if (cursor.char === '#' && isBlank(cursor.text[cursor.at - 1] ?? '')) cursor.skipLine()
      if (cursor.char !== '\n') break
      cursor.nextLine()
    }
    if (cursor.isEnd) throw cursor.error('did not find expected node content')
  }

  #scalar(inFlow: boolean, minColumn: number): Scalar {
    const cursor = this.#cursor
    const { char } = cursor
    if (char === '"') return this.#text(readDoubleQuoted(cursor))
    if (char === "'") return this.#text(readSingleQuoted(cursor))
    const isIndicator = (char === '-' || char === '?' || char === ':') && cursor.isIndicator()
    if (isIndicator || ',[]{}%@`#&*!|>'.includes(char)) {
      throw cursor.error('found character that cannot start any token')
    }
    return this.#plain(readPlain(cursor, inFlow, minColumn))
  }

  #text(text: string): Scalar {
    this.#size += text.length
    return { text, isPlain: false }
  }

  #plain(text: string): Scalar {
    this.#size += text.length
    return { text, isPlain: true }
  }

  /** Returns the value of a scalar, by its tag or its form. */
  #resolve({ text, isPlain }: Scalar, properties: Properties | undefined): JsonValue {
    const tag = properties?.tag ?? ''
    if (tag === '!!binary') return Buffer.from(text, 'base64').toString('utf8')
    if (tag === '!!str' || tag === '!' || (!isPlain && tag === '')) return text
    const word = readWord(text)
    if (word !== undefined) return tag === '!!int' || tag === '!!float' ? this.#mistagged(tag, text) : word
    const number = readNumber(text)
    if (number !== undefined) {
      if (number.exact) return number.value
      const advice = 'use a value within ±2^53 or a string'
      throw this.#cursor.error(`the integer ${text.slice(0, 40)} cannot be represented exactly: ${advice}`)
    }
    if (isNotJson(text)) throw this.#cursor.error(`JSON has no value for ${text}`)
    return tag === '!!int' || tag === '!!float' || tag === '!!bool' || tag === '!!null'
      ? this.#mistagged(tag, text)
      : text
  }

  #mistagged(tag: string, text: string): never {
    throw this.#cursor.error(`cannot decode !!str \`${text.slice(0, 40)}\` as a ${tag}`)
  }

  #empty(properties: Properties | undefined): JsonValue {
    return properties?.tag === '!!str' ? '' : null
  }

  /** Keys of JSON are strings. */
  #keyText(key: JsonValue): string {
    if (typeof key === 'string') return key
    if (typeof key === 'number' || typeof key === 'boolean') return String(key)
    throw this.#cursor.error('unsupported map key: it must be a string, a number or a boolean')
  }

  /** Reads `&anchor` and `!tag`, in any order; returns undefined if there are none. */
  #properties(): Properties | undefined {
    const cursor = this.#cursor
    let found: Properties | undefined
    while (cursor.char === '&' || cursor.char === '!') {
      const word = this.#word()
      found ??= { anchor: '', tag: '' }
      const slot = word[0] === '&' ? 'anchor' : 'tag'
      if (found[slot] !== '' || word === '&') throw cursor.error('did not find expected node content')
      found[slot] = slot === 'anchor' ? word.slice(1) : word.replace(/^!<tag:yaml\.org,2002:(.*)>$/, '!!$1')
      cursor.skipSpaces()
    }
    return found
  }

  #word(): string {
    const cursor = this.#cursor
    const start = cursor.at
    while (!isBlank(cursor.char) && !',[]{}'.includes(cursor.char)) cursor.at++
    return cursor.text.slice(start, cursor.at)
  }

  #keep(properties: Properties | undefined, before: number, value: JsonValue): JsonValue {
    if (properties !== undefined && properties.anchor !== '') {
      this.#anchors.set(properties.anchor, { value, size: this.#size - before })
    }
    return value
  }

  /** Returns a copy of an anchored value. The total size that aliases add is limited, since they can multiply. */
  #alias(): JsonValue {
    const name = this.#word().slice(1)
    const anchored = this.#anchors.get(name)
    if (anchored === undefined) throw this.#cursor.error(`unknown anchor '${name}' referenced`)
    this.#size += anchored.size
    this.#aliased += anchored.size
    if (this.#aliased > MAX_ALIASED) throw new YamlError('yaml: document contains excessive aliasing')
    return cloneJson(anchored.value)
  }

  #enter(): void {
    this.#size++
    if (++this.#depth > MAX_DEPTH) throw this.#cursor.error(`exceeded max depth of ${MAX_DEPTH}`)
  }
}

/** Returns the end of a quoted scalar on its line; -1 if it does not end there or is too long for a key. */
function endOfQuoted(text: string, start: number, quote: string): number {
  const limit = Math.min(text.length, start + MAX_KEY)
  for (let at = start + 1; at < limit; at++) {
    const char = text[at]
    if (char === '\n') return -1
    if (char === '\\' && quote === '"') at++
    else if (char === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at + 1
      at++
    }
  }
  return -1
}

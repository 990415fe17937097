import { hasChar, MAX_CODE_POINT, WORD } from './charset.js'
import { parseRegex } from './parser.js'
import { type Instruction, programOf } from './program.js'
import type { Assertion } from './syntax.js'

/** What is on one side of a position: the edge of the text, a line break, a word character, or any other. */
type Side = 'edge' | 'newline' | 'word' | 'other'

/** A set of places in the program, with all that is known of the character before. */
interface State {
  readonly places: readonly number[]
  readonly before: Side
  /** By character class: the next state, or `'match'` once it is known that the text matches. */
  readonly next: (State | 'match' | undefined)[]
  atEnd: boolean | undefined
}

/** States kept before starting over: bounds memory where a pattern has very many. */
const MAX_STATES = 2000

/**
 * Answers whether a text has a match of a pattern, in time linear in the text whatever the pattern: a deterministic
 * automaton whose states are made when a text first needs them.
 */
export class Automaton {
  readonly #program: readonly Instruction[]
  readonly #bounds: readonly number[]
  readonly #asciiClasses: Uint16Array
  #states = new Map<string, State>()
  #start: State

  /** Throws `PatternError`. */
  constructor(pattern: string) {
    this.#program = programOf(parseRegex(pattern))
    this.#bounds = boundsOf(this.#program)
    this.#asciiClasses = Uint16Array.from({ length: 128 }, (_, code) => this.#findClass(code))
    this.#start = this.#state([0], 'edge')
  }

  matches(text: string): boolean {
    let state = this.#start
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      let code = unit
      if (unit >= 0xd800 && unit < 0xdc00) {
        code = text.codePointAt(index) as number
        if (code > 0xffff) index++
      }
      const kind = unit < 128 ? (this.#asciiClasses[unit] as number) : this.#findClass(code)
      const next = state.next[kind] ?? this.#advance(state, kind)
      if (next === 'match') return true
      state = next
    }
    state.atEnd ??= this.#reach(state, 'edge').includes(this.#program.length - 1)
    return state.atEnd
  }

  /** Characters between two bounds are the same to every instruction. */
  #findClass(code: number): number {
    let low = 0
    let high = this.#bounds.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#bounds[middle] as number) <= code) low = middle
      else high = middle - 1
    }
    return low
  }

  #advance(state: State, kind: number): State | 'match' {
    const code = this.#bounds[kind] as number
    const side = sideOf(code)
    const reached = this.#reach(state, side)
    let next: State | 'match' = 'match'
    if (!reached.includes(this.#program.length - 1)) {
      const places = new Set<number>([0])
      for (const place of reached) {
        const instruction = this.#program[place] as Instruction
        if (instruction.op === 'chars' && hasChar(instruction.set, code)) places.add(place + 1)
      }
      next = this.#state(
        [...places].sort((a, b) => a - b),
        side,
      )
    }
    state.next[kind] = next
    return next
  }

  /** The places reached without reading, given what comes next. */
  #reach(state: State, after: Side): readonly number[] {
    const reached = new Set<number>()
    const pending = [...state.places]
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (reached.has(place)) continue
      reached.add(place)
      const instruction = this.#program[place] as Instruction
      if (instruction.op === 'jump') pending.push(...instruction.to)
      else if (instruction.op === 'assert' && holds(instruction.what, state.before, after)) pending.push(place + 1)
    }
    return [...reached]
  }

  #state(places: readonly number[], before: Side): State {
    const key = `${before}:${places.join(',')}`
    const known = this.#states.get(key)
    if (known) return known
    if (this.#states.size >= MAX_STATES) {
      this.#states = new Map()
      this.#start = { places: [0], before: 'edge', next: [], atEnd: undefined }
    }
    const state: State = { places, before, next: [], atEnd: undefined }
    this.#states.set(key, state)
    return state
  }
}

function sideOf(code: number): Side {
  if (code === 10) return 'newline'
  return hasChar(WORD, code) ? 'word' : 'other'
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  switch (assertion) {
    case 'beginText':
      return before === 'edge'
    case 'endText':
      return after === 'edge'
    case 'beginLine':
      return before === 'edge' || before === 'newline'
    case 'endLine':
      return after === 'edge' || after === 'newline'
    case 'wordBoundary':
      return (before === 'word') !== (after === 'word')
    case 'noWordBoundary':
      return (before === 'word') === (after === 'word')
  }
}

function boundsOf(program: readonly Instruction[]): number[] {
  const bounds = new Set<number>([0, 10, 11])
  for (const set of [
    WORD,
    ...program.flatMap((instruction) => (instruction.op === 'chars' ? [instruction.set] : [])),
  ]) {
    for (let index = 0; index < set.length; index += 2) {
      bounds.add(set[index] as number)
      const past = (set[index + 1] as number) + 1
      if (past <= MAX_CODE_POINT) bounds.add(past)
    }
  }
  return [...bounds].sort((a, b) => a - b)
}

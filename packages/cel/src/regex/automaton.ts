import type { Assertion } from './parser.js'
import type { Instruction } from './regex.js'

/** The context on one side of a position: the edge of the text, a line break, a word character, or any other. */
type Side = 'edge' | 'newline' | 'word' | 'other'

/** The positions in the program after a text, and the context of its last character. */
interface State {
  readonly places: readonly number[]
  readonly before: Side
  /** By ASCII character: the next state, or `'match'` once a match is certain. */
  readonly next: (State | 'match' | undefined)[]
  /** Whether the text matches if it ends here. */
  atEnd: boolean | undefined
}

/** The limit of positions in all states before starting over: bounds the memory for patterns with many. */
const MAX_PLACES = 100_000
/** Each state has a table, however few its positions. */
const PLACES_A_STATE = 100

/**
 * Decides whether a text has a match, visiting each character once: a deterministic automaton whose states are
 * created on demand. Most callers need only this, and it is many times faster than finding the match.
 */
export class Automaton {
  readonly #program: readonly Instruction[]
  #states = new Map<string, State>()
  #start: State
  #held = 0

  constructor(program: readonly Instruction[]) {
    this.#program = program
    this.#start = this.#state([0], 'edge')
  }

  test(text: string): boolean {
    let state = this.#start
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      let next: State | 'match'
      if (unit < 128) {
        next = state.next[unit] ?? this.#remember(state, unit)
      } else {
        const code = text.codePointAt(at) as number
        if (code > 0xffff) at++
        next = this.#advance(state, code)
      }
      if (next === 'match') return true
      state = next
    }
    state.atEnd ??= this.#reach(state, 'edge') === 'match'
    return state.atEnd
  }

  #remember(state: State, code: number): State | 'match' {
    const next = this.#advance(state, code)
    state.next[code] = next
    return next
  }

  #advance(state: State, code: number): State | 'match' {
    const side = sideOf(code)
    const reached = this.#reach(state, side)
    if (reached === 'match') return 'match'
    // A match may begin at any character: the start of the program is always among the positions.
    const places = new Set<number>([0])
    for (const place of reached) {
      const instruction = this.#program[place] as Instruction
      if (instruction.op === 'class' && instruction.class.has(code)) places.add(place + 1)
    }
    return this.#state(
      [...places].sort((a, b) => a - b),
      side,
    )
  }

  /** The positions reachable without reading, given the next character. */
  #reach(state: State, after: Side): ReadonlySet<number> | 'match' {
    const reached = new Set<number>()
    const pending = [...state.places]
    for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
      if (reached.has(place)) continue
      reached.add(place)
      const instruction = this.#program[place] as Instruction
      if (instruction.op === 'match') return 'match'
      if (instruction.op === 'jump') pending.push(instruction.to)
      else if (instruction.op === 'split') pending.push(instruction.to, instruction.or)
      else if (instruction.op === 'assert' && holds(instruction.assertion, state.before, after)) pending.push(place + 1)
    }
    return reached
  }

  #state(places: readonly number[], before: Side): State {
    const key = `${before}:${places.join(',')}`
    const known = this.#states.get(key)
    if (known) return known
    const size = PLACES_A_STATE + places.length
    if (this.#held + size > MAX_PLACES && this.#states.size > 1) {
      this.#states = new Map()
      this.#held = 0
      this.#start = this.#state([0], 'edge')
    }
    const state: State = { places, before, next: [], atEnd: undefined }
    this.#states.set(key, state)
    this.#held += size
    return state
  }
}

function sideOf(code: number): Side {
  if (code === 10) return 'newline'
  const isWord = (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122)
  return isWord ? 'word' : 'other'
}

function holds(assertion: Assertion, before: Side, after: Side): boolean {
  switch (assertion) {
    case 'textStart':
      return before === 'edge'
    case 'textEnd':
      return after === 'edge'
    case 'lineStart':
      return before === 'edge' || before === 'newline'
    case 'lineEnd':
      return after === 'edge' || after === 'newline'
    case 'wordBoundary':
      return (before === 'word') !== (after === 'word')
    case 'notWordBoundary':
      return (before === 'word') === (after === 'word')
  }
}

import { Automaton } from './automaton.js'
import type { CodePoints } from './char-class.js'
import { type Assertion, type Node, parseRegex, RegexError } from './parser.js'

/**
 * Regular expressions with RE2's syntax and guarantee: time linear in the text, for every pattern. The platform's own
 * engine backtracks, so it must not run patterns of users.
 */
export interface Regex {
  /** Whether the pattern matches anywhere in the text. */
  test(text: string): boolean
  /** The leftmost match at or after an offset. */
  find(text: string, from?: number): { readonly start: number; readonly end: number } | undefined
}

/** Compiles a pattern. Throws `RegexError` with the message of Go's `regexp` package. */
export function compileRegex(pattern: string): Regex {
  if (pattern.length > MAX_LENGTH) throw new RegexError('expression too large', `${pattern.slice(0, MAX_SHOWN)}...`)
  const program: Instruction[] = []
  emit(parseRegex(pattern), program, pattern)
  program.push({ op: 'match' })
  return new Machine(program)
}

/** One instruction of a pattern. `class` and `assert` continue with the next. */
export type Instruction =
  | { op: 'class'; class: CodePoints }
  | { op: 'assert'; assertion: Assertion }
  | { op: 'jump'; to: number }
  /** Tries `to` first, then `or`. */
  | { op: 'split'; to: number; or: number }
  | { op: 'match' }

const MAX_INSTRUCTIONS = 20_000
/** A longer pattern has more instructions, unless it is one huge class, and would use all memory first. */
const MAX_LENGTH = 100_000
const MAX_SHOWN = 1000

function emit(node: Node, program: Instruction[], pattern: string): void {
  if (program.length > MAX_INSTRUCTIONS) throw new RegexError('expression too large', pattern)
  switch (node.type) {
    case 'class':
      program.push({ op: 'class', class: node.class })
      return
    case 'assert':
      program.push({ op: 'assert', assertion: node.assertion })
      return
    case 'sequence':
      for (const item of node.items) emit(item, program, pattern)
      return
    case 'choice':
      emitChoice(node.options, program, pattern)
      return
    case 'repeat':
      emitRepeat(node.item, node.min, node.max, node.greedy, program, pattern)
  }
}

function emitRepeat(
  item: Node,
  min: number,
  max: number,
  greedy: boolean,
  program: Instruction[],
  pattern: string,
): void {
  if (max !== Number.POSITIVE_INFINITY) {
    for (let i = 0; i < min; i++) emit(item, program, pattern)
    emitOptional(max - min, greedy, program, () => emit(item, program, pattern))
    return
  }
  for (let i = 1; i < min; i++) emit(item, program, pattern)
  // `x*` is `(x+)?`: an `x` that matches the empty string then leaves the loop instead of trying its alternatives.
  if (min > 0) emitLoop(item, greedy, program, pattern)
  else emitOptional(1, greedy, program, () => emitLoop(item, greedy, program, pattern))
}

function emitChoice(options: readonly Node[], program: Instruction[], pattern: string): void {
  const exits: { op: 'jump'; to: number }[] = []
  options.forEach((option, index) => {
    if (index === options.length - 1) {
      emit(option, program, pattern)
      return
    }
    const split: Instruction = { op: 'split', to: program.length + 1, or: 0 }
    program.push(split)
    emit(option, program, pattern)
    const exit = { op: 'jump' as const, to: 0 }
    program.push(exit)
    exits.push(exit)
    split.or = program.length
  })
  for (const exit of exits) exit.to = program.length
}

function emitLoop(item: Node, greedy: boolean, program: Instruction[], pattern: string): void {
  const start = program.length
  emit(item, program, pattern)
  const next = program.length + 1
  program.push({ op: 'split', to: greedy ? start : next, or: greedy ? next : start })
}

function emitOptional(times: number, greedy: boolean, program: Instruction[], emitItem: () => void): void {
  const splits: { split: { op: 'split'; to: number; or: number }; body: number }[] = []
  for (let i = 0; i < times; i++) {
    const split = { op: 'split' as const, to: 0, or: 0 }
    program.push(split)
    splits.push({ split, body: program.length })
    emitItem()
  }
  for (const { split, body } of splits) {
    split.to = greedy ? body : program.length
    split.or = greedy ? program.length : body
  }
}

/** The states after a text, best first, each with the start of its match. */
class Threads {
  readonly states: Int32Array
  readonly starts: Int32Array
  count = 0
  readonly #seenAt: Int32Array
  #generation = 0

  constructor(size: number) {
    this.states = new Int32Array(size)
    this.starts = new Int32Array(size)
    this.#seenAt = new Int32Array(size)
  }

  clear(): void {
    this.count = 0
    this.#generation++
  }

  /** Marks a state as visited; false if it was already. */
  visit(state: number): boolean {
    if (this.#seenAt[state] === this.#generation) return false
    this.#seenAt[state] = this.#generation
    return true
  }

  add(state: number, start: number): void {
    this.states[this.count] = state
    this.starts[this.count] = start
    this.count++
  }
}

/** Runs all alternatives in parallel (Pike's algorithm): each state visits each character once. */
class Machine implements Regex {
  readonly #program: readonly Instruction[]
  #current: Threads
  #next: Threads
  readonly #pending: number[] = []
  /** A match can only begin at the start of the text. */
  readonly #anchored: boolean
  readonly #automaton: Automaton

  constructor(program: readonly Instruction[]) {
    this.#program = program
    const [first] = program
    this.#anchored = first?.op === 'assert' && first.assertion === 'textStart'
    this.#current = new Threads(program.length)
    this.#next = new Threads(program.length)
    this.#automaton = new Automaton(program)
  }

  test(text: string): boolean {
    return this.#automaton.test(text)
  }

  find(text: string, from = 0): { start: number; end: number } | undefined {
    return this.#run(text, from)
  }

  #run(text: string, from: number): { start: number; end: number } | undefined {
    let found: { start: number; end: number } | undefined
    this.#current.clear()
    for (let at = from; ; ) {
      if (found === undefined) this.#follow(this.#current, 0, text, at, at)
      const current = this.#current
      const next = this.#next
      if (current.count === 0 && (found !== undefined || this.#anchored)) return found
      const code = at < text.length ? (text.codePointAt(at) as number) : -1
      const after = at + (code > 0xffff ? 2 : 1)
      next.clear()
      for (let i = 0; i < current.count; i++) {
        const state = current.states[i] as number
        const start = current.starts[i] as number
        const instruction = this.#program[state] as Instruction
        if (instruction.op === 'match') {
          found = { start, end: at }
          // The remaining threads are worse alternatives of the same match.
          break
        }
        if (instruction.op === 'class' && code >= 0 && instruction.class.has(code)) {
          this.#follow(next, state + 1, text, after, start)
        }
      }
      if (code < 0) return found
      this.#current = next
      this.#next = current
      at = after
    }
  }

  /** Adds the states reachable from one without reading a character, best first. */
  #follow(threads: Threads, state: number, text: string, at: number, start: number): void {
    const pending = this.#pending
    pending.push(state)
    for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
      if (!threads.visit(each)) continue
      const instruction = this.#program[each] as Instruction
      if (instruction.op === 'jump') pending.push(instruction.to)
      else if (instruction.op === 'split') pending.push(instruction.or, instruction.to)
      else if (instruction.op === 'assert') {
        if (holds(instruction.assertion, text, at)) pending.push(each + 1)
      } else threads.add(each, start)
    }
  }
}

function holds(assertion: Assertion, text: string, at: number): boolean {
  switch (assertion) {
    case 'textStart':
      return at === 0
    case 'textEnd':
      return at === text.length
    case 'lineStart':
      return at === 0 || text[at - 1] === '\n'
    case 'lineEnd':
      return at === text.length || text[at] === '\n'
    case 'wordBoundary':
      return isWord(text, at - 1) !== isWord(text, at)
    case 'notWordBoundary':
      return isWord(text, at - 1) === isWord(text, at)
  }
}

function isWord(text: string, at: number): boolean {
  return /^\w$/.test(text[at] ?? '')
}

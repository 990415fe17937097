import type { CharSet } from './charset.js'
import { type Assertion, PatternError, type RegexNode } from './syntax.js'

/** One step of a pattern. `chars` and `assert` go on to the next place, `jump` to any of its targets. */
export type Instruction =
  | { readonly op: 'chars'; readonly set: CharSet }
  | { readonly op: 'assert'; readonly what: Assertion }
  | { readonly op: 'jump'; readonly to: number[] }
  | { readonly op: 'match' }

const MAX_INSTRUCTIONS = 20_000

/** The steps of a pattern, `match` being the last. */
export function programOf(node: RegexNode): readonly Instruction[] {
  const program: Instruction[] = []
  emit(node, program)
  program.push({ op: 'match' })
  return program
}

function emit(node: RegexNode, program: Instruction[]): void {
  if (program.length > MAX_INSTRUCTIONS) throw new PatternError('expression too large', '')
  switch (node.kind) {
    case 'chars':
      program.push({ op: 'chars', set: node.set })
      break
    case 'assert':
      program.push({ op: 'assert', what: node.what })
      break
    case 'concat':
      for (const part of node.parts) emit(part, program)
      break
    case 'either':
      emitEither(node.parts, program)
      break
    case 'repeat':
      emitRepeat(node.part, node.min, node.max, program)
  }
}

function jump(program: Instruction[]): number[] {
  const to: number[] = []
  program.push({ op: 'jump', to })
  return to
}

function emitEither(parts: readonly RegexNode[], program: Instruction[]): void {
  const starts = jump(program)
  const ends: number[][] = []
  for (const part of parts) {
    starts.push(program.length)
    emit(part, program)
    ends.push(jump(program))
  }
  for (const end of ends) end.push(program.length)
}

function emitRepeat(part: RegexNode, min: number, max: number, program: Instruction[]): void {
  for (let count = 0; count < min; count++) emit(part, program)
  if (max === Number.POSITIVE_INFINITY) {
    const place = program.length
    const loop = jump(program)
    loop.push(program.length)
    emit(part, program)
    jump(program).push(place)
    loop.push(program.length)
    return
  }
  const skips: number[][] = []
  for (let count = min; count < max; count++) {
    const optional = jump(program)
    optional.push(program.length)
    skips.push(optional)
    emit(part, program)
  }
  for (const skip of skips) skip.push(program.length)
}

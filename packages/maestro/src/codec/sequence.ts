import { CodecError } from './codec-error.js'

/** The milliseconds since 1970 at which snowflake IDs begin. */
const EPOCH = 1_288_834_974_657
const NODE = 1n
const STEP_BITS = 12n
const TIME_SHIFT = 22n
const STEP_MASK = (1n << STEP_BITS) - 1n
const NODE_MASK = (1n << (TIME_SHIFT - STEP_BITS)) - 1n
const MAX_STEP = Number(STEP_MASK)
const MAX_INT64 = 2n ** 63n - 1n
const DIGITS = /^\d{1,19}$/

/**
 * Generates the sequence IDs of status events: snowflake IDs of node 1, as the agents of Open Cluster Management do. IDs
 * increase even if the clock is set back.
 */
export class SequenceGenerator {
  readonly #now: () => number
  #time = 0
  #step = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  next(): string {
    const now = this.#now() - EPOCH
    if (now > this.#time) {
      this.#time = now
      this.#step = 0
    } else if (this.#step < MAX_STEP) {
      this.#step++
    } else {
      this.#time++
      this.#step = 0
    }
    return String((BigInt(Math.max(this.#time, 0)) << TIME_SHIFT) | (NODE << STEP_BITS) | BigInt(this.#step))
  }

  /** An ID that is generated so much later. */
  static after(id: string, milliseconds: number): string {
    return String(parse(id) + (BigInt(milliseconds) << TIME_SHIFT))
  }

  /** Makes all following IDs greater than one that was generated earlier, for example before a restart. */
  continueAfter(id: string): void {
    const value = parse(id)
    const time = Number(value >> TIME_SHIFT)
    if (time < this.#time) return
    this.#time = time
    this.#step = MAX_STEP
  }
}

/** Negative if `a` is older than `b`, 0 if they are equal. Throws `CodecError` if the IDs cannot be compared. */
export function compareSequence(a: string, b: string): number {
  const [first, second] = [parse(a), parse(b)]
  if (nodeOf(first) !== nodeOf(second)) throw new CodecError(`sequence IDs (${a},${b}) are not from the same node`)
  return first < second ? -1 : first > second ? 1 : 0
}

function parse(id: string): bigint {
  const value = DIGITS.test(id) ? BigInt(id) : -1n
  if (value < 0n || value > MAX_INT64) throw new CodecError(`unable to parse sequence ID: ${JSON.stringify(id)}`)
  return value
}

function nodeOf(value: bigint): bigint {
  return (value >> STEP_BITS) & NODE_MASK
}

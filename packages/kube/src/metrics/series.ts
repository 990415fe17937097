import { formatGoFloat } from '@orrery/kinds/values'

/** The values of one set of labels. Keep it to count often without a lookup. */
export interface Series {
  /** Adds its lines in Prometheus' text format. `labels` are formatted: `a="1",b="2"`, or empty. */
  write(name: string, labels: string, lines: string[]): void
}

/** A number that only grows. */
export class Counter implements Series {
  #total: number

  constructor(total = 0) {
    this.#total = total
  }

  get total(): number {
    return this.#total
  }

  add(amount = 1): void {
    this.#total += amount
  }

  /** For counts of another source, such as CPU time. */
  advanceTo(total: number): void {
    this.#total = Math.max(this.#total, total)
  }

  write(name: string, labels: string, lines: string[]): void {
    lines.push(sample(name, labels, this.#total))
  }
}

/** A number that goes up and down. */
export class Gauge implements Series {
  value: number

  constructor(value = 0) {
    this.value = value
  }

  write(name: string, labels: string, lines: string[]): void {
    lines.push(sample(name, labels, this.value))
  }
}

/** Counts values by buckets. */
export class Histogram implements Series {
  readonly #bounds: readonly number[]
  /** The number of values between a bound and the one before it; the last one has no bound. */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#sum += value
  }

  write(name: string, labels: string, lines: string[]): void {
    const before = labels === '' ? '' : `${labels},`
    let below = 0
    this.#counts.forEach((count, index) => {
      below += count
      const bound = formatGoFloat(this.#bounds[index] ?? Number.POSITIVE_INFINITY)
      lines.push(sample(`${name}_bucket`, `${before}le="${bound}"`, below))
    })
    lines.push(sample(`${name}_sum`, labels, this.#sum), sample(`${name}_count`, labels, below))
  }
}

function sample(name: string, labels: string, value: number): string {
  return labels === '' ? `${name} ${formatGoFloat(value)}` : `${name}{${labels}} ${formatGoFloat(value)}`
}

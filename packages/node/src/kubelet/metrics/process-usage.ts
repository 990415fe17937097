import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'

/** Usage of CPU in cores and of memory in bytes. */
export interface Usage {
  readonly cores: number
  readonly bytes: number
}

interface Sample {
  readonly seconds: number
  readonly at: number
  readonly cores: number
}

/** Units of Linux: ticks of a hundredth of a second, and pages. */
const TICKS = 100
const PAGE = 4_096
/** The shortest time between two measurements that gives a meaningful rate. */
const MIN_SPAN = 1_000

/** The usage if nothing runs. */
export const NO_USAGE: Usage = { cores: 0, bytes: 0 }

/** The process groups of the machine, by the PID of their leader. */
type Totals = ReadonlyMap<number, Total>

interface Reading {
  readonly at: number
  readonly totals: Promise<Totals>
}

/**
 * Measures the usage of process groups on request: the rate since the last measurement. On systems other than Linux the
 * usage is 0.
 */
export class ProcessUsage {
  readonly #read: () => Promise<Totals>
  #samples = new Map<number, Sample>()
  #latest: Reading | undefined

  constructor(read: () => Promise<Totals> = readTotals) {
    this.#read = read
  }

  /** Returns the current usage of each process group, by the PID of its leader. */
  async measure(groups: ReadonlySet<number>, now: Date): Promise<ReadonlyMap<number, Usage>> {
    const totals = groups.size === 0 ? new Map<number, Total>() : await this.#totals()
    const samples = new Map<number, Sample>()
    const result = new Map<number, Usage>()
    for (const group of groups) {
      const total = totals.get(group)
      if (total !== undefined) samples.set(group, this.#sample(group, total, now.getTime()))
      result.set(group, total === undefined ? NO_USAGE : { cores: samples.get(group)?.cores ?? 0, bytes: total.bytes })
    }
    this.#samples = samples
    return result
  }

  /** There can be thousands of processes, so that requests share what was read within the last second. */
  #totals(): Promise<Totals> {
    const at = performance.now()
    if (this.#latest === undefined || at - this.#latest.at >= MIN_SPAN) this.#latest = { at, totals: this.#read() }
    return this.#latest.totals
  }

  #sample(group: number, { seconds, age }: Total, at: number): Sample {
    const before = this.#samples.get(group)
    if (before === undefined) return { seconds, at, cores: age > 0 ? seconds / age : 0 }
    if (at - before.at < MIN_SPAN) return before
    return { seconds, at, cores: Math.max(0, seconds - before.seconds) / ((at - before.at) / 1_000) }
  }
}

interface Total {
  /** CPU time. */
  seconds: number
  bytes: number
  /** The age of the leader, in seconds. */
  age: number
}

/** How many files are read before the event loop serves requests. */
const SLICE = 64

async function readTotals(): Promise<Totals> {
  const totals = new Map<number, Total>()
  const uptime = Number.parseFloat(contentOf('/proc/uptime'))
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve))
    const stat = contentOf(`/proc/${pid}/stat`)
    // The program name, in parentheses, can contain anything; fields are counted from after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const group = Number(fields[2])
    const total = totals.get(group) ?? { seconds: 0, bytes: 0, age: 0 }
    total.seconds += (Number(fields[11]) + Number(fields[12])) / TICKS
    total.bytes += Number(fields[21]) * PAGE
    if (Number(pid) === group) total.age = uptime - Number(fields[19]) / TICKS
    totals.set(group, total)
  }
  return totals
}

/** Reads a file of the kernel, which is in memory: another thread would cost more. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended.
    return ''
  }
}

import { readdir, readFile } from 'node:fs/promises'

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

/**
 * Measures the usage of process groups on request: the rate since the last measurement. On systems other than Linux the
 * usage is 0.
 */
export class ProcessUsage {
  #samples = new Map<number, Sample>()

  /** Returns the current usage of each process group, by the PID of its leader. */
  async measure(groups: ReadonlySet<number>, now: Date): Promise<ReadonlyMap<number, Usage>> {
    const totals = groups.size === 0 ? new Map<number, Total>() : await totalsOf(groups)
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

async function totalsOf(groups: ReadonlySet<number>): Promise<Map<number, Total>> {
  const totals = new Map<number, Total>()
  const uptime = Number.parseFloat(await readFile('/proc/uptime', 'utf8').catch(() => '0'))
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  await Promise.all(
    pids.map(async (pid) => {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      // The program name, in parentheses, can contain anything; fields are counted from after it.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const group = Number(fields[2])
      if (!groups.has(group)) return
      const total = totals.get(group) ?? { seconds: 0, bytes: 0, age: 0 }
      total.seconds += (Number(fields[11]) + Number(fields[12])) / TICKS
      total.bytes += Number(fields[21]) * PAGE
      if (Number(pid) === group) total.age = uptime - Number(fields[19]) / TICKS
      totals.set(group, total)
    }),
  )
  return totals
}

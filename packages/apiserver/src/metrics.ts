import { performance } from 'node:perf_hooks'
import type { Exchange } from './http/exchange.js'
import type { RequestTarget } from './request/target.js'

/** Upper bounds in seconds, kube-apiserver's own thinned out. */
const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 1, 2, 5, 10, 30, 60]

interface Series {
  readonly labels: string
  count: number
  seconds: number
  readonly buckets: number[]
}

/** A number read when somebody asks. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly read: () => number | Iterable<readonly [labels: string, value: number]>
}

/** A number of the process itself. What only grows is a counter, or a rate over it would be wrong. */
interface Reading extends Gauge {
  readonly type: 'counter' | 'gauge'
}

/** Counts requests, and renders everything in Prometheus' text format. */
export class Metrics {
  readonly #requests = new Map<string, Series>()
  readonly #gauges: Reading[] = []

  addGauge(gauge: Gauge): void {
    this.#gauges.push({ ...gauge, type: 'gauge' })
  }

  /** Something that only grows. */
  addCounter(counter: Gauge): void {
    this.#gauges.push({ ...counter, type: 'counter' })
  }

  /** Counts a request. `target` is undefined unless it is for a resource that is served: labels must be few. */
  observeRequest(exchange: Exchange, target: RequestTarget | undefined, seconds: number): void {
    const verb = target === undefined ? knownMethod(exchange.method) : target.verb.toUpperCase()
    const key = `${verb} ${exchange.status} ${target?.group ?? ''} ${target?.version ?? ''} ${target?.resource ?? ''} ${target?.subresource ?? ''}`
    let series = this.#requests.get(key)
    if (series === undefined) {
      series = this.#open(key, verb, exchange.status, target)
    }
    series.count++
    series.seconds += seconds
    let bucket = 0
    while (bucket < DURATION_BUCKETS.length && seconds > (DURATION_BUCKETS[bucket] as number)) bucket++
    series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
  }

  #open(key: string, verb: string, code: number, target: RequestTarget | undefined): Series {
    const labels = [
      `verb="${escapeLabel(verb)}"`,
      `group="${escapeLabel(target?.group ?? '')}"`,
      `version="${escapeLabel(target?.version ?? '')}"`,
      `resource="${escapeLabel(target?.resource ?? '')}"`,
      `subresource="${escapeLabel(target?.subresource ?? '')}"`,
      `code="${code}"`,
    ].join(',')
    const series = { labels, count: 0, seconds: 0, buckets: new Array<number>(DURATION_BUCKETS.length + 1).fill(0) }
    this.#requests.set(key, series)
    return series
  }

  render(): string {
    const lines: string[] = []
    const total = 'apiserver_request_total'
    lines.push(`# HELP ${total} Requests by verb, resource and status code.`, `# TYPE ${total} counter`)
    for (const series of this.#requests.values()) lines.push(`${total}{${series.labels}} ${series.count}`)
    const duration = 'apiserver_request_duration_seconds'
    lines.push(
      `# HELP ${duration} Time from the request to the start of its end, by the same labels.`,
      `# TYPE ${duration} histogram`,
    )
    for (const series of this.#requests.values()) {
      let below = 0
      DURATION_BUCKETS.forEach((bound, index) => {
        below += series.buckets[index] ?? 0
        lines.push(`${duration}_bucket{${series.labels},le="${bound}"} ${below}`)
      })
      lines.push(`${duration}_bucket{${series.labels},le="+Inf"} ${series.count}`)
      lines.push(
        `${duration}_sum{${series.labels}} ${series.seconds}`,
        `${duration}_count{${series.labels}} ${series.count}`,
      )
    }
    for (const { name, help, type, read } of [...this.#gauges, ...processReadings()]) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
      const value = read()
      if (typeof value === 'number') lines.push(`${name} ${value}`)
      else for (const [labels, one] of value) lines.push(`${name}{${labels}} ${one}`)
    }
    return `${lines.join('\n')}\n`
  }
}

/** Names as Prometheus' own client libraries have them, units as it asks for. */
function processReadings(): Reading[] {
  const usage = process.memoryUsage()
  const cpu = process.cpuUsage()
  const loop = performance.eventLoopUtilization()
  return [
    { type: 'gauge', name: 'process_resident_memory_bytes', help: 'Resident memory.', read: () => usage.rss },
    {
      type: 'gauge',
      name: 'process_start_time_seconds',
      help: 'When the process started, in seconds since 1970.',
      read: () => performance.timeOrigin / 1000,
    },
    {
      type: 'counter',
      name: 'process_cpu_seconds_total',
      help: 'CPU time spent.',
      read: () => (cpu.user + cpu.system) / 1e6,
    },
    { type: 'gauge', name: 'nodejs_heap_size_used_bytes', help: 'JavaScript heap in use.', read: () => usage.heapUsed },
    { type: 'gauge', name: 'nodejs_external_memory_bytes', help: 'Memory of buffers.', read: () => usage.external },
    {
      type: 'counter',
      name: 'nodejs_eventloop_time_seconds_total',
      help: 'Time the event loop worked and waited.',
      read: () => [
        ['state="active"', loop.active / 1000],
        ['state="idle"', loop.idle / 1000],
      ],
    },
  ]
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** HTTP/2 clients can make methods up. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER'
}

/** A label value with what would end it escaped. */
export function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`)).slice(0, 200)
}

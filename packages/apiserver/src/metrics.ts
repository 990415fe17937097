import { performance } from 'node:perf_hooks'
import { Histogram } from '@orrery/kube'
import type { Exchange } from './http/exchange.js'
import type { RequestTarget } from './request/target.js'

/** Upper bounds in seconds, kube-apiserver's own thinned out. */
const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 1, 2, 5, 10, 30, 60]

interface Series {
  readonly labels: string
  count: number
  readonly durations: Histogram
}

/** A number read when somebody asks. */
export interface Gauge {
  readonly name: string
  readonly help: string
  readonly read: () => number | Iterable<readonly [labels: string, value: number]>
}

/** Histograms that others keep, by their labels. */
export interface Histograms {
  readonly name: string
  readonly help: string
  readonly read: () => Iterable<readonly [labels: string, histogram: Histogram]>
}

/** A number of the process itself. What only grows is a counter, or a rate over it would be wrong. */
interface Reading extends Gauge {
  readonly type: 'counter' | 'gauge'
}

/** Counts requests, and renders everything in Prometheus' text format. */
export class Metrics {
  readonly #requests = new Map<string, Series>()
  readonly #gauges: Reading[] = []
  readonly #histograms: Histograms[] = []

  addGauge(gauge: Gauge): void {
    this.#gauges.push({ ...gauge, type: 'gauge' })
  }

  /** Something that only grows. */
  addCounter(counter: Gauge): void {
    this.#gauges.push({ ...counter, type: 'counter' })
  }

  addHistograms(histograms: Histograms): void {
    this.#histograms.push(histograms)
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
    series.durations.observe(seconds)
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
    const series = { labels, count: 0, durations: new Histogram(DURATION_BUCKETS) }
    this.#requests.set(key, series)
    return series
  }

  #durations(): Histograms {
    return {
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the request to the start of its end, by the same labels.',
      read: () => Array.from(this.#requests.values(), ({ labels, durations }) => [labels, durations] as const),
    }
  }

  render(): string {
    const lines: string[] = []
    const total = 'apiserver_request_total'
    lines.push(`# HELP ${total} Requests by verb, resource and status code.`, `# TYPE ${total} counter`)
    for (const series of this.#requests.values()) lines.push(`${total}{${series.labels}} ${series.count}`)
    for (const { name, help, read } of [this.#durations(), ...this.#histograms]) {
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} histogram`)
      for (const [labels, histogram] of read()) histogram.write(name, labels, lines)
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

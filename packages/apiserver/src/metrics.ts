import { type EventLoopUtilization, performance } from 'node:perf_hooks'
import type { Exchange } from './http/exchange.js'
import type { RequestTarget } from './request/target.js'

/** Upper bounds in seconds, kube-apiserver's own thinned out. */
const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

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
  read(): number | Iterable<readonly [labels: string, value: number]>
}

/** Counts requests, and renders everything in Prometheus' text format. */
export class Metrics {
  readonly #requests = new Map<string, Series>()
  readonly #gauges: Gauge[] = []
  #loop: EventLoopUtilization = performance.eventLoopUtilization()

  addGauge(gauge: Gauge): void {
    this.#gauges.push(gauge)
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
    for (const gauge of [...this.#gauges, ...this.#processGauges()]) {
      lines.push(`# HELP ${gauge.name} ${gauge.help}`, `# TYPE ${gauge.name} gauge`)
      const value = gauge.read()
      if (typeof value === 'number') lines.push(`${gauge.name} ${value}`)
      else for (const [labels, one] of value) lines.push(`${gauge.name}{${labels}} ${one}`)
    }
    return `${lines.join('\n')}\n`
  }

  #processGauges(): Gauge[] {
    const usage = process.memoryUsage()
    const cpu = process.cpuUsage()
    const utilization = performance.eventLoopUtilization(this.#loop)
    this.#loop = performance.eventLoopUtilization()
    return [
      { name: 'process_resident_memory_bytes', help: 'Resident memory.', read: () => usage.rss },
      { name: 'nodejs_heap_used_bytes', help: 'JavaScript heap in use.', read: () => usage.heapUsed },
      { name: 'nodejs_external_memory_bytes', help: 'Memory of buffers.', read: () => usage.external },
      { name: 'process_cpu_seconds_total', help: 'CPU time spent.', read: () => (cpu.user + cpu.system) / 1e6 },
      {
        name: 'nodejs_eventloop_utilization',
        help: 'Busy part of the time since the last scrape.',
        read: () => utilization.utilization,
      },
    ]
  }
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

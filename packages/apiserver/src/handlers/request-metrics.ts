import type { Counter, Histogram, MetricFamily, MetricRegistry } from '@orrery/kube/metrics'
import type { Exchange } from '../http/exchange.js'
import type { RequestTarget } from '../request/target.js'

/** Upper bounds in seconds: a subset of kube-apiserver's. */
const DURATION_BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 1, 2, 5, 10, 30, 60]

const LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'code'] as const

type Label = (typeof LABELS)[number]

interface Series {
  readonly total: Counter
  readonly durations: Histogram
}

/** Counts requests and their durations by verb, resource and status code. */
export class RequestMetrics {
  readonly #total: MetricFamily<Label, Counter>
  readonly #durations: MetricFamily<Label, Histogram>
  readonly #series = new Map<string, Series>()
  /** Requests with the same request line share a target. */
  #last: { readonly target: RequestTarget; readonly status: number; readonly series: Series } | undefined

  constructor(registry: MetricRegistry) {
    this.#total = registry.counter({
      name: 'apiserver_request_total',
      help: 'Requests by verb, resource and status code.',
      labels: LABELS,
    })
    this.#durations = registry.histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from the start of a request to its reply, by verb, resource and status code.',
      labels: LABELS,
      buckets: DURATION_BUCKETS,
    })
  }

  /**
   * Counts a request. `target` is undefined unless it is for a served resource, to limit the number of label values.
   */
  observe(
    { method, status }: Pick<Exchange, 'method' | 'status'>,
    target: RequestTarget | undefined,
    seconds: number,
  ): void {
    const last = this.#last
    const isRepeated = target !== undefined && last?.target === target && last.status === status
    const series = isRepeated ? last.series : this.#seriesOf(method, status, target)
    if (target !== undefined && !isRepeated) this.#last = { target, status, series }
    series.total.add()
    series.durations.observe(seconds)
  }

  #seriesOf(method: string, status: number, target: RequestTarget | undefined): Series {
    const verb = target === undefined ? knownMethod(method) : target.verb.toUpperCase()
    const key = `${verb} ${status} ${target?.group ?? ''} ${target?.version ?? ''} ${target?.resource ?? ''} ${target?.subresource ?? ''}`
    let series = this.#series.get(key)
    if (series === undefined) {
      series = this.#open(verb, status, target)
      this.#series.set(key, series)
    }
    return series
  }

  #open(verb: string, code: number, target: RequestTarget | undefined): Series {
    const labels = {
      verb,
      group: target?.group ?? '',
      version: target?.version ?? '',
      resource: target?.resource ?? '',
      subresource: target?.subresource ?? '',
      code: String(code),
    }
    return { total: this.#total.with(labels), durations: this.#durations.with(labels) }
  }
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** HTTP/2 clients can send any method. */
function knownMethod(method: string): string {
  return METHODS.has(method) ? method : 'OTHER'
}

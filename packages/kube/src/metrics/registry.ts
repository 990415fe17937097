import { MetricFamily, type MetricOptions, type MetricType } from './family.js'
import { Counter, Gauge, Histogram, type Series } from './series.js'

export interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper bounds, ascending, without the infinite one. */
  readonly buckets: readonly number[]
}

/** The metrics of a process, each declared once, in Prometheus' text format. */
export class MetricRegistry {
  readonly #families = new Map<string, MetricFamily>()
  readonly #refreshes = new Set<() => void>()

  counter<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Counter> {
    return this.#declare('counter', options, () => new Counter())
  }

  gauge<const Label extends string = never>(options: MetricOptions<Label>): MetricFamily<Label, Gauge> {
    return this.#declare('gauge', options, () => new Gauge())
  }

  histogram<const Label extends string = never>(options: HistogramOptions<Label>): MetricFamily<Label, Histogram> {
    return this.#declare('histogram', options, () => new Histogram(options.buckets))
  }

  /**
   * Calls back before the metrics are rendered, so that gauges cost nothing until then. Returns a function that
   * unsubscribes.
   */
  beforeRender(refresh: () => void): () => void {
    this.#refreshes.add(refresh)
    return () => {
      this.#refreshes.delete(refresh)
    }
  }

  /** Everything in the text format (`text/plain; version=0.0.4`), by name. */
  render(): string {
    for (const refresh of this.#refreshes) refresh()
    const lines: string[] = []
    const byName = [...this.#families.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const family of byName) family.write(lines)
    return lines.length === 0 ? '' : `${lines.join('\n')}\n`
  }

  #declare<Label extends string, S extends Series>(
    type: MetricType,
    options: MetricOptions<Label>,
    create: () => S,
  ): MetricFamily<Label, S> {
    const { name, labels = [] } = options
    const known = this.#families.get(name)
    if (known === undefined) {
      const family = new MetricFamily(type, options, create)
      this.#families.set(name, family as unknown as MetricFamily)
      return family
    }
    if (known.type !== type || known.labels.join() !== labels.join()) {
      throw new TypeError(`the metric ${name} exists already as a ${known.type} of [${known.labels.join()}]`)
    }
    return known as unknown as MetricFamily<Label, S>
  }
}

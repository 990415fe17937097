import type { Series } from './series.js'

export type MetricType = 'counter' | 'gauge' | 'histogram'

/** A value for each label. */
export type LabelValues<Label extends string> = Readonly<Record<Label, string>>

export interface MetricOptions<Label extends string> {
  readonly name: string
  /** The help text, in one line. */
  readonly help: string
  /** The labels. They must have few values, never chosen by users. Default none. */
  readonly labels?: readonly Label[]
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

/** A metric: one series for each set of label values in use. */
export class MetricFamily<Label extends string = string, S extends Series = Series> {
  readonly name: string
  readonly help: string
  readonly type: MetricType
  readonly labels: readonly Label[]
  readonly #create: () => S
  /** By the formatted labels. */
  readonly #series = new Map<string, S>()

  constructor(type: MetricType, { name, help, labels = [] }: MetricOptions<Label>, create: () => S) {
    if (!METRIC_NAME.test(name)) throw new TypeError(`${JSON.stringify(name)} is not a valid metric name`)
    for (const label of labels) {
      if (!LABEL_NAME.test(label)) throw new TypeError(`${JSON.stringify(label)} is not a valid label name`)
    }
    this.type = type
    this.name = name
    this.help = help
    this.labels = labels
    this.#create = create
  }

  /** The series with these labels. It is shown from now on, even without a value. */
  with(values: LabelValues<Label>): S {
    const key = this.#written(values)
    let series = this.#series.get(key)
    if (series === undefined) {
      series = this.#create()
      this.#series.set(key, series)
    }
    return series
  }

  /** Removes the series with these labels. */
  remove(values: LabelValues<Label>): void {
    this.#series.delete(this.#written(values))
  }

  /** Replaces all series, for values and lifetimes that another component keeps. */
  replace(series: Iterable<readonly [labels: LabelValues<Label>, series: S]>): void {
    this.#series.clear()
    for (const [labels, one] of series) this.#series.set(this.#written(labels), one)
  }

  /** Adds its lines in Prometheus' text format; none if there is no series. */
  write(lines: string[]): void {
    if (this.#series.size === 0) return
    lines.push(`# HELP ${this.name} ${escapeHelp(this.help)}`, `# TYPE ${this.name} ${this.type}`)
    for (const [labels, series] of this.#series) series.write(this.name, labels, lines)
  }

  #written(values: LabelValues<Label>): string {
    return this.labels.map((label) => `${label}="${escapeLabelValue(values[label])}"`).join(',')
  }
}

function escapeHelp(text: string): string {
  return text.replace(/[\\\n]/g, (character) => (character === '\n' ? '\\n' : '\\\\'))
}

function escapeLabelValue(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}

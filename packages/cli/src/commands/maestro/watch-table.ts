import type { WorkEvent } from '@orrery/maestro'
import { type Column, formatTable } from '../../shared/table.js'
import { problemsText, WORK_COLUMNS } from './columns.js'

/** Rows are printed one by one: names that are not longer stay in their columns. */
const WIDTHS: Readonly<Record<string, number>> = { event: 'MODIFIED'.length, consumer: 16, work: 24, age: 5 }

const AGE = 'age'

const COLUMNS: readonly Column<WorkEvent>[] = [
  { title: 'event', value: ({ type }: WorkEvent) => type },
  ...WORK_COLUMNS.filter(({ wide }) => wide !== true).map(({ title, value }) => ({
    title,
    value: ({ object }: WorkEvent) => value(object),
  })),
  { title: 'problem', value: ({ type, object }: WorkEvent) => (type === 'DELETED' ? '' : problemsText(object)) },
].map(({ title, value }) => {
  const width = WIDTHS[title] ?? 0
  return { title: title.padEnd(width), value: (event) => String(value(event) ?? '').padEnd(width) }
})

/** The rows of a watch. */
export class WatchTable {
  readonly #shown = new Map<string, string>()

  get heading(): string {
    return formatTable([], COLUMNS)
  }

  /** The row of an event. Empty if only what the table does not show has changed since the last row of the work. */
  rowOf(event: WorkEvent): string {
    const { type, object } = event
    const key = `${object.metadata.namespace}/${object.metadata.name}`
    const cells = COLUMNS.filter(({ title }) => title.trimEnd() !== AGE).map(({ value }) => value(event))
    const text = JSON.stringify(cells.slice(1))
    if (type === 'MODIFIED' && this.#shown.get(key) === text) return ''
    if (type === 'DELETED') this.#shown.delete(key)
    else this.#shown.set(key, text)
    return `${formatTable([event], COLUMNS).split('\n').at(-2)}\n`
  }
}

/** A column of a table: its heading and the value of each row. */
export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string | number | undefined
  /** Only shown by `-o wide`. */
  readonly wide?: boolean
}

const GAP = '   '
const NOTHING = '<none>'

/** Rows as kubectl prints them: headings in capitals, columns three spaces apart, no space at the end of a line. */
export function formatTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const heading = columns.map(({ title }) => title.toUpperCase())
  const lines = [heading, ...rows.map((row) => columns.map(({ value }) => cell(value(row))))]
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  const padded = lines.map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join(GAP))
  return padded.map((line) => `${line.trimEnd()}\n`).join('')
}

function cell(value: string | number | undefined): string {
  return value === undefined || value === '' ? NOTHING : plainText(String(value))
}

const LINE_BREAKS = /[\r\n\t]+/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not reach a terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Makes text from other sources safe for one line of a terminal: it cannot move the cursor or change the text direction. */
export function plainText(text: string): string {
  return text.replace(LINE_BREAKS, ' ').replace(CONTROL, '�')
}

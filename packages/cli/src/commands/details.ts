import { printText } from '../shared/print.js'
import { plainText } from '../shared/table.js'

/** A title and its value. */
export type Detail = readonly [title: string, text: string]

/** Prints details, one per line. */
export function showDetails(details: readonly Detail[]): void {
  printText(formatDetails(details))
}

/** Details, one per line. */
export function formatDetails(details: readonly Detail[]): string {
  const width = Math.max(...details.map(([title]) => title.length)) + 2
  return details.map(([title, text]) => `${`${title}:`.padEnd(width)}${plainText(text)}\n`).join('')
}

import { plainText } from '../shared/table.js'

/** Something about a thing: what it is called, and what it is. */
export type Fact = readonly [title: string, text: string]

/** Prints facts one below the other. */
export function showFacts(facts: readonly Fact[]): void {
  const width = Math.max(...facts.map(([title]) => title.length)) + 2
  process.stdout.write(facts.map(([title, text]) => `${`${title}:`.padEnd(width)}${plainText(text)}\n`).join(''))
}

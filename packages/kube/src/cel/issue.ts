/** Something wrong with an expression, and where. */
export interface CelIssue {
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 0, in code points. */
  readonly column: number
}

/** A position in the source, as a UTF-16 offset. */
export type Offset = number

/** Collects issues while an expression is read and checked. */
export class IssueList {
  private readonly source: string
  private readonly issues: CelIssue[] = []

  constructor(source: string) {
    this.source = source
  }

  get empty(): boolean {
    return this.issues.length === 0
  }

  report(at: Offset, message: string): void {
    const before = this.source.slice(0, at)
    const lineStart = before.lastIndexOf('\n') + 1
    const line = before.split('\n').length
    this.issues.push({ message, line, column: [...before.slice(lineStart)].length })
  }

  /** All issues in the order of the text, as they were found within one place. */
  sorted(): readonly CelIssue[] {
    return [...this.issues].sort((a, b) => a.line - b.line || a.column - b.column)
  }
}

/** The issues as cel-go prints them, with the line and a mark under the place. */
export function formatIssues(source: string, issues: readonly CelIssue[]): string {
  const lines = source.split('\n')
  return issues
    .map(({ message, line, column }) => {
      const head = `ERROR: <input>:${line}:${column + 1}: ${message}`
      const snippet = (lines[line - 1] ?? '').replaceAll('\t', ' ')
      // Characters past ASCII are given a mark as wide as they tend to be.
      const marks = [...snippet].slice(0, column).map((character) => (character > '\x7f' ? '．' : '.'))
      return `${head}\n | ${snippet}\n | ${marks.join('')}^`
    })
    .join('\n')
}

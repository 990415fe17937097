import { codePointCount } from '@orrery/kinds/values'

/** A problem with an expression, and its position. */
export interface CelIssue {
  readonly message: string
  /** From 1. */
  readonly line: number
  /** From 0, in code points. */
  readonly column: number
}

/** A position in the source, as a UTF-16 offset. */
export type Offset = number

/** A limit, since malicious text could have any number. */
const MAX_ISSUES = 100

/** Collects issues while an expression is parsed and checked. */
export class IssueList {
  readonly #source: string
  readonly #issues: CelIssue[] = []
  #count = 0
  #lineStarts: readonly number[] | undefined

  constructor(source: string) {
    this.#source = source
  }

  get empty(): boolean {
    return this.#count === 0
  }

  /** The number of issues that were dropped. */
  get truncated(): number {
    return this.#count - this.#issues.length
  }

  report(at: Offset, message: string): void {
    this.#count++
    if (this.#issues.length >= MAX_ISSUES) return
    this.#lineStarts ??= startsOfLines(this.#source)
    const line = this.#lineStarts.findLastIndex((start) => start <= at)
    const column = codePointCount(this.#source.slice(this.#lineStarts[line], at))
    this.#issues.push({ message, line: line + 1, column })
  }

  /** The issues in the order of the source, and of detection within one position. */
  sorted(): readonly CelIssue[] {
    return [...this.#issues].sort((a, b) => a.line - b.line || a.column - b.column)
  }
}

function startsOfLines(source: string): number[] {
  const starts = [0]
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Longer lines are omitted: each issue would repeat them. */
const MAX_SNIPPET = 1_000

/** The issues as cel-go prints them, with the line and a marker below the position. */
export function formatIssues(source: string, issues: readonly CelIssue[], truncated = 0): string {
  const lines = source.split('\n')
  const shown = issues.map((issue) => formatIssue(issue, lines[issue.line - 1] ?? ''))
  if (truncated > 0) shown.push(`${truncated} more errors were truncated`)
  return shown.join('\n')
}

function formatIssue({ message, line, column }: CelIssue, text: string): string {
  const head = `ERROR: <input>:${line}:${column + 1}: ${message}`
  if (text.length > MAX_SNIPPET) return head
  // Characters beyond ASCII get a wide marker.
  const marks = [...text].slice(0, column).map((character) => (character > '\x7f' ? '．' : '.'))
  return `${head}\n | ${text.replaceAll('\t', ' ')}\n | ${marks.join('')}^`
}

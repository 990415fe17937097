/** An error of a YAML text, with the message of Go's parser. */
export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** Control characters that YAML does not allow. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffe\uffff]/

/** A position in a YAML text that knows lines, columns, comments and the end of a document. */
export class Cursor {
  readonly text: string
  at = 0
  /** The start of the line of `at`. */
  lineStart = 0

  constructor(text: string) {
    const bare = text.startsWith('\ufeff') ? text.slice(1) : text
    this.text = bare.includes('\r') ? bare.replace(/\r\n?/g, '\n') : bare
    const bad = FORBIDDEN.exec(this.text)
    if (bad !== null) {
      this.at = bad.index
      throw this.error('control characters are not allowed')
    }
  }

  get char(): string {
    return this.text[this.at] ?? ''
  }

  get column(): number {
    return this.at - this.lineStart
  }

  /** Whether the position is at the end of the text or at a line that ends the document. */
  get isEnd(): boolean {
    return this.at >= this.text.length || (this.at === this.lineStart && this.isBoundary())
  }

  /** `---` and `...` at the start of a line. */
  isBoundary(): boolean {
    const mark = this.text.slice(this.at, this.at + 3)
    return (mark === '---' || mark === '...') && isBlank(this.text[this.at + 3] ?? '')
  }

  /** Whether the character after `at` is white space or the end, which makes `-`, `?` and `:` indicators. */
  isIndicator(): boolean {
    return isBlank(this.text[this.at + 1] ?? '')
  }

  skipSpaces(): void {
    while (this.char === ' ' || this.char === '\t') this.at++
  }

  /** Skips white space, comments and line ends. Returns whether it reached another line. */
  skipToContent(): boolean {
    let crossed = false
    for (;;) {
      const from = this.at
      this.skipSpaces()
      if (
        this.char === '#' &&
        (this.at > from || this.at === this.lineStart || isBlank(this.text[this.at - 1] ?? ''))
      ) {
        this.skipLine()
      }
      if (this.char !== '\n') break
      this.nextLine()
      crossed = true
      if (this.isBoundary()) break
    }
    if (crossed && this.text.slice(this.lineStart, this.at).includes('\t') && !this.isEnd) {
      throw this.error('found a tab character that violates indentation')
    }
    return crossed
  }

  nextLine(): void {
    this.at++
    this.lineStart = this.at
  }

  /** Moves to the end of the line. */
  skipLine(): void {
    const end = this.text.indexOf('\n', this.at)
    this.at = end < 0 ? this.text.length : end
  }

  /** Lines count from 1. */
  lineOf(place: number): number {
    let line = 1
    for (let at = this.text.indexOf('\n'); at >= 0 && at < place; at = this.text.indexOf('\n', at + 1)) line++
    return line
  }

  error(problem: string): YamlError {
    return new YamlError(`yaml: line ${this.lineOf(this.at)}: ${problem}`)
  }
}

/** Returns whether a character is white space, a line end, or the end. */
export function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === ''
}

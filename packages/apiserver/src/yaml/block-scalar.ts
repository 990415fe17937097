import type { Cursor } from './cursor.js'

/** Reads `|` and `>`: the following lines, literal or folded. The cursor is at the indicator. */
export function readBlockScalar(cursor: Cursor, minColumn: number): string {
  const isFolded = cursor.char === '>'
  cursor.at++
  let chomping = ''
  let given = 0
  for (let indicators = 0; indicators < 2; indicators++) {
    if (chomping === '' && (cursor.char === '+' || cursor.char === '-')) chomping = cursor.char
    else if (given === 0 && cursor.char >= '1' && cursor.char <= '9') given = Number(cursor.char)
    else break
    cursor.at++
  }
  const afterIndicators = cursor.at
  cursor.skipSpaces()
  if (cursor.char === '#' && cursor.at > afterIndicators) cursor.skipLine()
  if (cursor.char !== '\n' && cursor.char !== '') throw cursor.error('did not find expected comment or line break')

  const lines = readLines(cursor, given === 0 ? undefined : Math.max(minColumn - 1, 0) + given, minColumn)
  let last = lines.length
  while (last > 0 && lines[last - 1] === '') last--
  const content = lines.slice(0, last)
  const text = isFolded ? fold(content) : content.join('\n')
  if (chomping === '-' || (last === 0 && chomping === '')) return text
  const ending = chomping === '+' ? lines.length - last : 0
  return last === 0 ? '\n'.repeat(ending) : `${text}\n${'\n'.repeat(ending)}`
}

/** Reads the lines of the scalar without their indentation. Leaves the cursor at the end of the last one. */
function readLines(cursor: Cursor, given: number | undefined, minColumn: number): string[] {
  const { text } = cursor
  const lines: string[] = []
  let indent = given
  while (cursor.char === '\n') {
    const start = cursor.at + 1
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    let content = start
    while (content < end && text[content] === ' ' && (indent === undefined || content - start < indent)) content++
    if (content === end) {
      if (start >= text.length) break
      lines.push('')
    } else {
      indent ??= Math.max(content - start, minColumn)
      if (content - start < indent || isBoundaryAt(text, start)) break
      lines.push(text.slice(content, end))
    }
    cursor.at = end
    cursor.lineStart = start
  }
  return lines
}

function isBoundaryAt(text: string, at: number): boolean {
  const mark = text.slice(at, at + 3)
  return (mark === '---' || mark === '...') && ' \t\n'.includes(text[at + 3] ?? '\n')
}

/** Joins lines with spaces, except next to empty or more indented ones. */
function fold(lines: readonly string[]): string {
  let result = ''
  let breaks = 0
  let isFirst = true
  let wasFree = false
  for (const line of lines) {
    if (line === '') {
      breaks++
      continue
    }
    const isFree = line[0] === ' ' || line[0] === '\t'
    if (isFirst) result = '\n'.repeat(breaks)
    else if (isFree || wasFree) result += '\n'.repeat(breaks + 1)
    else result += breaks === 0 ? ' ' : '\n'.repeat(breaks)
    result += line
    breaks = 0
    isFirst = false
    wasFree = isFree
  }
  return result
}

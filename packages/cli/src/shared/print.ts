import { plainText } from './table.js'

// Everything that commands print goes through these functions: names and messages come from servers and files, and must not
// act on the terminal.

/** Prints a line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${plainText(line)}\n`)
}

/** Prints a line to standard error: what a script that reads the output must not get. */
export function note(line: string): void {
  process.stderr.write(`${plainText(line)}\n`)
}

/** Prints text of several lines to standard output. */
export function printText(text: string): void {
  process.stdout.write(plainLines(text))
}

/** Prints text of several lines to standard error. */
export function noteText(text: string): void {
  process.stderr.write(plainLines(text))
}

/** Prints a document, whose special characters are escaped already, or which contains no text from elsewhere. */
export function printDocument(document: string): void {
  process.stdout.write(document)
}

function plainLines(text: string): string {
  return text.split('\n').map(plainText).join('\n')
}

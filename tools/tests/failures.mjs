// A reporter that lists the tests that failed, and nothing else, for the end of the log: in the whole report, a failure
// may be thousands of lines before the end.
import { basename } from 'node:path'
import { sourcePlaces } from './source-places.mjs'

const FAILURES_SHOWN = 30
const MESSAGE_LINES = 20
const STACK_LINES = 4
const ERROR_OUTPUT_LINES = 12

/** Node's name for a test that failed only because tests in it did. */
const ONLY_SUBTESTS = 'subtestsFailed'

/** Yields the text for each failed test, and for each process that did not end well. */
export default async function* failures(events) {
  const errorOutput = new Map()
  let notes = []
  let names = []
  let found = 0
  for await (const { type, data } of events) {
    if (type === 'test:stderr') noteErrorOutput(errorOutput, data)
    if (type === 'test:diagnostic' && data.nesting === 0) notes.push(data.message)
    if (type === 'test:start' && !isProcess(data)) {
      if (data.nesting === 0) notes = []
      names = [...names.slice(0, data.nesting), data.name]
    }
    if (type === 'test:fail' && isOwnFailure(data)) {
      found += 1
      const lines = isProcess(data) ? [...notes, ...(errorOutput.get(data.file) ?? [])] : errorLines(data.details.error)
      if (found <= FAILURES_SHOWN) yield block(isProcess(data) ? processTitle(data, names) : names.join(' > '), lines)
    }
    if (type === 'test:pass' || type === 'test:fail') {
      names = names.slice(0, data.nesting)
      if (isProcess(data)) notes = []
    }
  }
  if (found > FAILURES_SHOWN) yield `\n… and ${found - FAILURES_SHOWN} more\n`
}

/** The runner reports a process as a test with the name of its module if the process itself fails. */
function isProcess({ nesting, name, file }) {
  return nesting === 0 && name === file
}

function isOwnFailure({ details, todo }) {
  return todo === undefined && details.error.failureType !== ONLY_SUBTESTS
}

function noteErrorOutput(errorOutput, { file, message }) {
  const lines = message.split('\n').filter((line) => line !== '')
  errorOutput.set(file, [...(errorOutput.get(file) ?? []), ...lines].slice(-ERROR_OUTPUT_LINES))
}

function processTitle({ file, details }, names) {
  const { exitCode, signal } = details.error
  const end = signal ? `was ended by ${signal}` : `ended with exit code ${exitCode}`
  return `process ${basename(file)} ${end}${names.length === 0 ? '' : ` in ${names.join(' > ')}`}`
}

function block(title, lines) {
  return `\n${title}\n${lines.map((line) => `    ${line}\n`).join('')}`
}

/** The message of what the test threw, and where: Node wraps it. */
function errorLines(error) {
  const cause = error.cause ?? error
  const isError = typeof cause === 'object' && typeof cause.stack === 'string'
  const message = isError ? `${cause.name}: ${cause.message}` : String(cause)
  return [...firstLines(message, MESSAGE_LINES), ...(isError ? stackLines(cause.stack) : [])]
}

function firstLines(text, shown) {
  const lines = text.trimEnd().split('\n')
  return lines.length <= shown ? lines : [...lines.slice(0, shown), `… ${lines.length - shown} more lines`]
}

function stackLines(stack) {
  const calls = stack.split('\n').filter((line) => /^ {4}at .*\/.*:\d+:\d+/.test(line) && !line.includes('(node:'))
  return calls.slice(0, STACK_LINES).map((line) => sourcePlaces(line.slice(2)))
}

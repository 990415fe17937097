// Where the time of the tests goes: the time of each file and test, recorded in a file by the processes that run
// them.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

const FILES_SHOWN = 60
const TESTS_SHOWN = 40
/** Linux counts process time in hundredths of a second. */
const TICK_SECONDS = 0.01

/** Call it when a file begins, and its result when the file has ended. */
export function noteFile(file) {
  return noteTime('file', file)
}

/** The same for a test. */
export function noteTest(test) {
  return noteTime('test', test)
}

function noteTime(type, name) {
  const path = process.env.ORRERY_TEST_TIMES
  if (path === undefined) return () => undefined
  const started = performance.now()
  const before = cpuSeconds()
  return () => {
    const after = cpuSeconds()
    const cpu = after.own - before.own
    const children = after.children - before.children
    const seconds = (performance.now() - started) / 1_000
    appendFileSync(path, `${JSON.stringify({ type, name, seconds, cpu, children })}\n`)
  }
}

/** CPU time of this process, and of its ended children (on Linux; unknown elsewhere). */
function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return { own: (user + system) / 1_000_000, children: childSeconds() }
}

function childSeconds() {
  try {
    // proc(5): the name of the program is in parentheses, and the third field follows.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ')
    const [cutime, cstime] = [fields[13], fields[14]].map(Number)
    return (cutime + cstime) * TICK_SECONDS
  } catch {
    return 0
  }
}

/** The recorded times. */
export function readTimes(path) {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

export function formatTimes(times, seconds) {
  const files = times.filter(({ type }) => type === 'file')
  const tests = times.filter(({ type }) => type === 'test')
  const sum = (of) => files.reduce((all, one) => all + of(one), 0)
  const own = sum(({ cpu }) => cpu)
  const children = sum((one) => one.children)
  return [
    '',
    `${files.length} files, ${tests.length} tests: ${seconds.toFixed(0)} s`,
    `CPU time: ${(own + children).toFixed(0)} s, ${children.toFixed(0)} s of them in processes that tests started`,
    ...table('files by CPU time', files, ({ cpu, children }) => cpu + children, FILES_SHOWN),
    ...table('files by duration', files, (one) => one.seconds, FILES_SHOWN),
    ...table('tests by duration', tests, (one) => one.seconds, TESTS_SHOWN),
  ].join('\n')
}

function table(title, rows, by, shown) {
  const top = rows.toSorted((one, other) => by(other) - by(one)).slice(0, shown)
  const line = ({ name, seconds, cpu, children }) =>
    `${seconds.toFixed(1).padStart(8)}${cpu.toFixed(1).padStart(8)}${children.toFixed(1).padStart(10)}  ${name}`
  return ['', title, ' seconds     CPU  children', ...top.map(line)]
}

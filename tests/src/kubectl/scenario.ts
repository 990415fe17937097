import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startServer } from '../support/server.js'
import { writeFixtures } from './fixtures.js'
import { Kubectl, type Minor } from './kubectl.js'
import { useProxy, watchWrites } from './live.js'

/** The expected text: contains a string, matches a pattern, or passes a check that throws otherwise. */
export type Expectation = string | RegExp | ((text: string, names: Names) => void)

/** The names of a scenario. */
export interface Names {
  readonly namespace: string
  readonly minor: Minor
}

/** One command and its expected result. */
export interface Step {
  /** The command line after `kubectl`; single quotes keep spaces, `NS` is the scenario's namespace. */
  readonly run: string
  /** Expected in the standard output. */
  readonly out?: Expectation | readonly Expectation[]
  /** Expected in the standard error. Implies that the command fails, unless `ok` is set. */
  readonly err?: Expectation | readonly Expectation[]
  /** Whether it succeeds; `either` if that depends on timing. */
  readonly ok?: boolean | 'either'
  readonly input?: string
  readonly environment?: Readonly<Record<string, string>>
  /** Saves the output under a name, which later commands use as `<name>`. */
  readonly saves?: string
  /** Ends the command when its output matches. */
  readonly until?: (stdout: string) => boolean
  /** The first and the last minor version of kubectl for this step. */
  readonly since?: Minor
  readonly upTo?: Minor
}

/** A sequence of commands in its own namespace. */
export interface Scenario {
  readonly name: string
  readonly steps: readonly Step[]
  readonly since?: Minor
  /** Changes cluster-wide state, such as a CRD or a node: runs alone. */
  readonly alone?: boolean
}

/** As many commands at a time as a small machine has processors. */
const CONCURRENCY = 3

/** Runs scenarios with one version of kubectl against its own server. */
export function kubectlSuite(minor: Minor, scenarios: readonly Scenario[]): void {
  const chosen = scenarios.filter(({ since = 0 }) => minor >= since)
  test(`kubectl 1.${minor}`, async (t) => {
    const server = await startServer(t)
    const kubectl = await Kubectl.create(minor, server)
    await writeFixtures(kubectl.home)
    const play = (scenario: Scenario) => t.test(scenario.name, () => playScenario(kubectl, scenario))
    const [alone, together] = [true, false].map((wanted) => chosen.filter((one) => (one.alone ?? false) === wanted))
    for (const scenario of alone ?? []) await play(scenario)
    const queue = [...(together ?? [])]
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await play(next)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    await t.test('watch: shows writes as they happen', () => watchWrites(kubectl))
    await t.test('proxy: forwards requests', () => useProxy(kubectl))
  })
}

async function playScenario(kubectl: Kubectl, { name, steps }: Scenario): Promise<void> {
  const namespace = name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const saved = new Map([['NS', namespace]])
  await kubectl.run(['create', 'namespace', namespace])
  for (const step of steps) {
    if (kubectl.minor < (step.since ?? 0) || kubectl.minor > (step.upTo ?? 99)) continue
    await playStep(kubectl, saved, step)
  }
}

async function playStep(kubectl: Kubectl, saved: Map<string, string>, step: Step): Promise<void> {
  const namespace = saved.get('NS') ?? ''
  const names = { namespace, minor: kubectl.minor }
  const fill = (text: string) => text.replace(/\bNS\b|<(\w+)>/g, (all, name = all) => saved.get(name) ?? all)
  const args = words(step.run).map(fill)
  const input = step.input === undefined ? undefined : fill(step.input)
  const outcome = await kubectl.run(['--namespace', namespace, ...args], {
    input,
    environment: step.environment,
    until: step.until,
  })
  const report = `kubectl ${args.join(' ')}\nexit ${outcome.code}\n${outcome.stdout}\n${outcome.stderr}`
  const succeeds = step.ok ?? step.err === undefined
  if (succeeds !== 'either')
    assert.equal(outcome.code === 0, succeeds, `expected it to ${succeeds ? 'succeed' : 'fail'}\n${report}`)
  if (step.saves !== undefined) saved.set(step.saves, outcome.stdout.trim())
  for (const expected of listOf(step.out)) check(expected, outcome.stdout, names, report)
  for (const expected of listOf(step.err)) check(expected, outcome.stderr, names, report)
}

function listOf(expectations: Step['out']): readonly Expectation[] {
  if (expectations === undefined) return []
  return Array.isArray(expectations) ? (expectations as readonly Expectation[]) : [expectations as Expectation]
}

function check(expected: Expectation, text: string, names: Names, report: string): void {
  if (typeof expected === 'function') expected(text, names)
  else if (typeof expected === 'string')
    assert.ok(text.includes(expected), `no ${JSON.stringify(expected)} in\n${report}`)
  else assert.match(text, expected, report)
}

/** Splits a command line; single quotes keep spaces. */
function words(line: string): string[] {
  const found: string[] = []
  for (const [word] of line.matchAll(/(?:'[^']*'|[^\s'])+/g)) found.push(word.replaceAll("'", ''))
  return found
}

/** The whole output, except for trailing white space. */
export function exactly(wanted: string): Expectation {
  return (text, { namespace }) => assert.equal(text.trimEnd(), wanted.replace(/\bNS\b/g, namespace))
}

/** The rows of a table without its header, each as its cells. */
export function rows(...wanted: readonly (readonly string[])[]): Expectation {
  return (text) => {
    const lines = text.trimEnd().split('\n').slice(1)
    const cells = lines.map((line) => line.trimEnd().split(/ {2,}/))
    assert.deepEqual(
      cells.map((row, index) => row.slice(0, wanted[index]?.length)),
      wanted,
    )
  }
}

/** The header of a table. */
export function header(...wanted: readonly string[]): Expectation {
  return (text) => assert.deepEqual((text.split('\n')[0] ?? '').trimEnd().split(/ {2,}/), wanted)
}

/** Output that is JSON of which a part must be as given. */
export function json(wanted: object): Expectation {
  return (text) => {
    const actual = JSON.parse(text) as Record<string, unknown>
    assert.deepEqual(overlap(actual, wanted), wanted)
  }
}

/** The part of a value that another one covers. */
function overlap(actual: unknown, wanted: unknown): unknown {
  if (typeof wanted !== 'object' || wanted === null || typeof actual !== 'object' || actual === null) return actual
  if (Array.isArray(wanted)) {
    if (!Array.isArray(actual) || actual.length !== wanted.length) return actual
    return wanted.map((item, index) => overlap(actual[index], item))
  }
  return Object.fromEntries(
    Object.entries(wanted).map(([key, inner]) => [key, overlap((actual as Record<string, unknown>)[key], inner)]),
  )
}

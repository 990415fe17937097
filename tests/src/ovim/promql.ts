/** The names that a PromQL expression uses. */
export interface PromqlNames {
  readonly metrics: readonly string[]
  /** Label matchers of a metric. */
  readonly matchers: readonly Matcher[]
  /** Labels of `by`, `without`, `on`, `ignoring`, `group_left` and `group_right`. */
  readonly groupings: readonly string[]
}

interface Matcher {
  readonly metric: string
  readonly label: string
  readonly operator: string
  readonly value: string
}

const GROUPINGS = new Set(['by', 'without', 'on', 'ignoring', 'group_left', 'group_right'])
const OPERATORS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'inf', 'nan', 'atan2'])
const TOKEN =
  /\s+|\[[^\]]*\]|"(?:[^"\\]|\\.)*"|[a-zA-Z_:][\w:]*|\d[\d.]*(?:e[+-]?\d+)?[a-z]*|=~|!~|!=|==|>=|<=|[-+*/%^(){},<>=@]/giy

/** Finds the names of an expression. Throws for text that is no PromQL. */
export function namesOf(expression: string): PromqlNames {
  const tokens = tokensOf(expression)
  const metrics: string[] = []
  const matchers: Matcher[] = []
  const groupings: string[] = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    if (!/^[a-z_:]/i.test(token) || OPERATORS.has(token.toLowerCase())) continue
    if (GROUPINGS.has(token)) {
      const end = tokens.indexOf(')', at)
      groupings.push(...tokens.slice(at + 2, end).filter((label) => label !== ','))
      at = end
    } else if (tokens[at + 1] === '{') {
      metrics.push(token)
      const end = tokens.indexOf('}', at)
      for (let label = at + 2; label < end; label += 4) {
        const [name = '', operator = '', value = '""'] = tokens.slice(label, end)
        matchers.push({ metric: token, label: name, operator, value: JSON.parse(value) as string })
      }
      at = end
    } else if (tokens[at + 1] !== '(' && !GROUPINGS.has(tokens[at + 1] ?? '')) {
      metrics.push(token)
    }
  }
  return { metrics, matchers, groupings }
}

function tokensOf(expression: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < expression.length) {
    const { lastIndex } = TOKEN
    const [token] = TOKEN.exec(expression) ?? []
    if (token === undefined) throw new SyntaxError(`not PromQL: ${expression.slice(lastIndex)}`)
    if (token.trim() !== '' && !token.startsWith('[')) tokens.push(token)
  }
  if (count(tokens, '(') !== count(tokens, ')') || count(tokens, '{') !== count(tokens, '}')) {
    throw new SyntaxError(`brackets do not match: ${expression}`)
  }
  return tokens
}

function count(tokens: readonly string[], token: string): number {
  return tokens.filter((one) => one === token).length
}

/** A metric that a process serves: its labels with their values. */
export type ServedLabels = ReadonlyMap<string, ReadonlySet<string>>

/** The metrics in Prometheus' text format by the names that queries use: of a histogram, `_bucket`, `_sum` and `_count`. */
export function servedMetrics(...texts: readonly string[]): Map<string, Map<string, Set<string>>> {
  const served = new Map<string, Map<string, Set<string>>>()
  for (const line of texts.join('\n').split('\n')) {
    const [, name, labels = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const known = served.get(name) ?? new Map<string, Set<string>>()
    served.set(name, known)
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value))
    }
  }
  return served
}

/** What Prometheus itself adds: `up`, and the labels of a target. */
const ADDED_METRICS = ['up']
const TARGET_LABELS = ['job', 'instance']

/** What is wrong with an expression, given the metrics that processes serve. `shown` are the labels that a text about its result uses. */
export function problemsOf(
  expression: string,
  served: ReadonlyMap<string, ServedLabels>,
  shown: readonly string[] = [],
): string[] {
  const { metrics, matchers, groupings } = namesOf(expression)
  const problems = metrics
    .filter((metric) => !served.has(metric) && !ADDED_METRICS.includes(metric))
    .map((metric) => `no metric ${metric}`)
  const labels = new Set([...TARGET_LABELS, ...metrics.flatMap((metric) => [...(served.get(metric)?.keys() ?? [])])])
  for (const { metric, label, operator, value } of matchers) {
    if (TARGET_LABELS.includes(label)) continue
    const values = served.get(metric)?.get(label)
    if (values === undefined) problems.push(`${metric} has no label ${label}`)
    // A variable of a dashboard stands for any value, and a pattern may match nothing at the moment.
    else if (!operator.includes('~') && !values.has(value)) problems.push(`${metric} has no ${label}=${value}`)
  }
  for (const label of [...groupings, ...shown]) {
    if (!labels.has(label)) problems.push(`no metric of the expression has the label ${label}`)
  }
  return problems
}

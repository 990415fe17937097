import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'
import { AgentWorld } from './agent-world.js'
import { namesOf, problemsOf, servedMetrics } from './promql.js'

interface Query {
  readonly where: string
  readonly expression: string
  /** Labels that a legend or an annotation shows. */
  readonly shown: readonly string[]
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<string, string>>
}

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

const rules = (
  parse(read('deploy/ovim/alerts.yaml')) as { spec: { groups: { name: string; rules: Rule[] }[] } }
).spec.groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('deploy/ovim/dashboard.json')) as {
  panels: Panel[]
  templating: { list: { name: string; query: string }[] }
}

function alertQueries(): Query[] {
  return rules.map(({ alert, expr, annotations }) => ({
    where: `alert ${alert}`,
    expression: expr,
    shown: labelsIn(Object.values(annotations).join(' '), /\$labels\.(\w+)/g),
  }))
}

function dashboardQueries(): Query[] {
  const panels = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `panel ${title}`,
      expression: expr,
      shown: labelsIn(legendFormat, /\{\{(\w+)\}\}/g),
    })),
  )
  const variables = dashboard.templating.list.flatMap(({ name, query }) => {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
    return metric && label ? [{ where: `variable ${name}`, expression: metric, shown: [label] }] : []
  })
  return [...panels, ...variables]
}

function labelsIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, label = '']) => label)
}

/** The names in the first cells of the rows of a page. */
function documented(path: string, pattern: RegExp): string[] {
  const cells = read(path)
    .split('\n')
    .flatMap((line) => (pattern.test(line) ? [line.split('|')[1] ?? ''] : []))
  return cells.flatMap((cell) => labelsIn(cell, /`([^`]+)`/g)).sort()
}

test('deploy/ovim: alerts and dashboard use metrics and labels that the hub service and the agent serve', async (t) => {
  const world = await AgentWorld.start(t)
  const { agent } = await world.withVdc({ OVIM_HEALTH_CHECK_INTERVAL: '5s' })
  const { hub } = world.ovim
  const served = () => servedMetrics(agent.metrics.render(), hub.metrics.render())
  await world.eventually('the health checks have run', () => served().has('ovim_agent_component_healthy'))

  await t.test('every expression', () => {
    for (const { where, expression, shown } of [...alertQueries(), ...dashboardQueries()]) {
      assert.deepEqual(problemsOf(expression, served(), shown), [], where)
    }
  })

  await t.test('a misspelled metric, label, value or legend is found', () => {
    const problems = (expression: string, shown: string[] = []) => problemsOf(expression, served(), shown)
    assert.deepEqual(problems('rate(ovim_vmz[5m]) > 0'), ['no metric ovim_vmz'])
    assert.deepEqual(problems('sum by (stat) (ovim_vms)'), ['no metric of the expression has the label stat'])
    assert.deepEqual(problems('ovim_vms{stat="error"}'), ['ovim_vms has no label stat'])
    assert.deepEqual(problems('ovim_vms{status="broken"}'), ['ovim_vms has no status=broken'])
    assert.deepEqual(problems('ovim_vms', ['zone']), ['no metric of the expression has the label zone'])
    assert.deepEqual(problems('rate(ovim_operation_duration_seconds[5m])'), [
      'no metric ovim_operation_duration_seconds',
    ])
  })

  await t.test('docs/reference/ovim-hub.md lists every metric of the hub service', () => {
    const declared = hub.metrics.render().matchAll(/^# TYPE (ovim_\w+)/gm)
    assert.deepEqual(
      documented('docs/reference/ovim-hub.md', /^\| `ovim_hub_/),
      Array.from(declared, ([, name = '']) => name).sort(),
    )
  })
})

test('deploy/ovim: every alert has a severity and says what to do, and docs/reference/ovim-alerts.md lists it', () => {
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(warning|critical)$/, alert)
    assert.ok(annotations.summary && annotations.description, alert)
  }
  assert.deepEqual(documented('docs/reference/ovim-alerts.md', /^\| `Ovim/), rules.map(({ alert }) => alert).sort())
})

test('deploy/ovim: the dashboard shows every metric of the agent', () => {
  const used = new Set(dashboardQueries().flatMap(({ expression }) => namesOf(expression).metrics))
  const names = documented('docs/reference/ovim-agent.md', /^\| `ovim_/)
  const isShown = (name: string) => used.has(name) || used.has(`${name}_bucket`)
  assert.deepEqual(
    names.filter((name) => !isShown(name)),
    [],
  )
  assert.ok(names.length > 20)
})

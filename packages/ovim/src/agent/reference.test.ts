import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MetricRegistry } from '@orrery/kube/metrics'
import { OPERATION_TYPES, QUERY_TYPES } from '../wire/index.js'
import { SETTINGS } from './config/settings.js'
import { agentMetrics } from './metrics/agent-metrics.js'

const page = readFileSync(new URL('../../../../docs/reference/ovim-agent.md', import.meta.url), 'utf8')

/** The rows of a table whose first cell matches. */
function rows(pattern: RegExp): string[][] {
  return page
    .split('\n')
    .filter((line) => pattern.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const named = (cell: string | undefined) => [...(cell ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name)

test('docs/reference/ovim-agent.md: lists every setting with its variables, and whether it is live', () => {
  const documented = rows(/^\| `(OVIM_|KUBECONFIG)/).map(([variables, key, , live]) => [
    named(key)[0],
    named(variables),
    live === 'yes',
  ])
  assert.deepEqual(
    documented.sort(),
    SETTINGS.map(({ key, variables, live = false }) => [key, [...variables], live]).sort(),
  )
})

test('docs/reference/ovim-agent.md: lists every metric', () => {
  const documented = rows(/^\| `ovim_/).flatMap(([names]) => named(names))
  const declared = Object.values(agentMetrics(new MetricRegistry())).map(({ name }) => name)
  assert.deepEqual(documented.sort(), declared.sort())
})

test('docs/reference/ovim-agent.md: names every operation', () => {
  for (const type of [...OPERATION_TYPES, ...QUERY_TYPES]) assert.ok(page.includes(`\`${type}\``), type)
})

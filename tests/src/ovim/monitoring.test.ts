import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { VirtualMachineRequest } from '@orrery/ovim'
import { parse } from 'yaml'
import { OvimFixture } from './ovim-fixture.js'

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** The metrics in the tables of a page. */
function documentedIn(page: string): string[] {
  const rows = page.split('\n').filter((line) => line.startsWith('| `ovim_'))
  return rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(ovim_\w+)`/g)].map(([, name = '']) => name))
}

/** Histograms have several series. */
const plain = (name: string) => name.replace(/_(bucket|sum|count)$/, '')

test('docs/reference/ovim-hub.md: lists every metric of the hub service', async (t) => {
  const ovim = await OvimFixture.start(t)
  const agent = await ovim.connectedAgent('east')
  await ovim.organization('acme')
  await ovim.template()
  await ovim.vdc('acme', 'dev', agent)
  const request = (name: string) =>
    ovim.client.create(VirtualMachineRequest, {
      metadata: { namespace: 'org-acme', name },
      spec: { vdc: 'dev', template: 'small' },
    })
  await request('one')
  const { id } = await agent.next('VMCreate')
  await agent.result(id, 'completed', { duration: 1_000_000 })
  // Metrics without a value are not shown: one operation is finished, and one is not.
  await request('two')
  await ovim.eventually('both operations count', () => /active\{phase/.test(ovim.hub.metrics.render()))
  const page = await read('docs/reference/ovim-hub.md')
  const names = [...ovim.hub.metrics.render().matchAll(/^# TYPE (ovim_hub_\w+)/gm)].map(([, name]) => name)
  assert.ok(names.length > 5)
  assert.deepEqual([...documentedIn(page)].sort(), names.sort())
})

test('deploy/ovim: alerts and dashboard use metrics that exist', async () => {
  const pages = [await read('docs/reference/ovim-agent.md'), await read('docs/reference/ovim-hub.md')]
  const known = new Set(pages.flatMap(documentedIn))
  const rules = parse(await read('deploy/ovim/alerts.yaml')) as {
    spec: { groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[] }
  }
  const alerts = rules.spec.groups.flatMap((group) => group.rules)
  const dashboard = JSON.parse(await read('deploy/ovim/dashboard.json')) as {
    panels: { title: string; targets: { expr: string }[] }[]
  }
  const queries = [
    ...alerts.map(({ alert, expr }) => [alert, expr] as const),
    ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ]
  for (const [where, expr] of queries) {
    const used = [...expr.matchAll(/\bovim_\w+/g)].map(([name]) => name)
    assert.ok(used.length > 0, where)
    for (const name of used) assert.ok(known.has(name) || known.has(plain(name)), `${where}: ${name}`)
  }
  for (const { alert, annotations } of alerts) assert.ok(annotations.summary && annotations.description, alert)
  const expected = ['AgentNotReady', 'HubConnectionLost', 'OperationsFail', 'CapacityLow', 'ComponentFailed']
  const named = new Set(alerts.map(({ alert }) => alert))
  for (const name of [...expected, 'KubernetesErrors']) assert.ok(named.has(`Ovim${name}`), name)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricRegistry } from '@orrery/kube/metrics'
import { eventually } from '@orrery/kube/testing'
import { configMap, WorkPair } from './work-pair.js'

test('agent metrics: counts works by state, and reconciles', async (t) => {
  const pair = await WorkPair.start(t)
  const metrics = new MetricRegistry()
  const agent = await pair.startAgent({ metrics })
  await pair.createWork('fine', [configMap('fine', { value: '1' })])
  await pair.createWork('wrong', [{ apiVersion: 'nowhere.example/v1', kind: 'Nothing', metadata: { name: 'x' } }])
  const rendered = await eventually('both works are counted', async () => {
    const text = metrics.render()
    return /works\{applied="True",available="True"\} 1\n/.test(text) && /works\{applied="False".*\} 1\n/.test(text)
      ? text
      : undefined
  })
  assert.match(
    rendered,
    /controller_runtime_reconcile_total\{controller="manifest-work",result="requeue_after"\} [1-9]/,
  )
  assert.match(rendered, /workqueue_depth\{name="work-status"/)
  await agent.close()
  assert.doesNotMatch(metrics.render(), /orrery_agent_manifest_works\{/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MetricRegistry } from '@orrery/kube/metrics'
import { LocalExchange } from '../http/in-process.js'
import { parseTarget } from '../request/target.js'
import { RequestMetrics } from './request-metrics.js'

function replied(method: string, path: string, status: number): LocalExchange {
  const exchange = new LocalExchange({ method, path }, undefined)
  exchange.reply(status, {}, Buffer.alloc(0))
  return exchange
}

test('RequestMetrics: counts requests by verb, resource and status code', () => {
  const registry = new MetricRegistry()
  const metrics = new RequestMetrics(registry)
  const path = '/api/v1/namespaces/default/pods/x/status'
  for (const seconds of [0.001, 0.2]) {
    metrics.observe(replied('GET', path, 200), parseTarget('GET', path), seconds)
  }
  const text = registry.render()
  const labels = 'verb="GET",group="",version="v1",resource="pods",subresource="status",code="200"'
  assert.ok(text.includes(`apiserver_request_total{${labels}} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="0.005"} 1\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="0.2"} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_count{${labels}} 2\n`))
})

test('RequestMetrics: counts each status code of a repeated request', () => {
  const registry = new MetricRegistry()
  const metrics = new RequestMetrics(registry)
  const path = '/api/v1/namespaces/default/pods'
  const target = parseTarget('POST', path)
  for (const status of [201, 201, 409, 201]) metrics.observe(replied('POST', path, status), target, 0)
  metrics.observe(replied('GET', path, 200), parseTarget('GET', path), 0)
  const counted = registry.render().matchAll(/^apiserver_request_total\{verb="(\w+)".*code="(\d+)"\} (\d+)$/gm)
  assert.deepEqual(
    Array.from(counted, ([, ...values]) => values.join(' ')),
    ['CREATE 201 3', 'CREATE 409 1', 'LIST 200 1'],
  )
})

test('RequestMetrics: does not use an unknown method as a label', () => {
  const registry = new MetricRegistry()
  const metrics = new RequestMetrics(registry)
  for (const method of ['BREW', 'WHEN']) metrics.observe(replied(method, '/x', 405), undefined, 0)
  const lines = registry.render().split('\n')
  assert.deepEqual(
    lines.filter((line) => line.startsWith('apiserver_request_total{')),
    ['apiserver_request_total{verb="OTHER",group="",version="",resource="",subresource="",code="405"} 2'],
  )
})

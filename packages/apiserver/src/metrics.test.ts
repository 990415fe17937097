import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LocalExchange } from './http/in-process.js'
import { escapeLabel, Metrics } from './metrics.js'
import { parseTarget } from './request/target.js'

function replied(method: string, path: string, status: number): LocalExchange {
  const exchange = new LocalExchange({ method, path }, undefined)
  exchange.reply(status, {}, Buffer.alloc(0))
  return exchange
}

test('requests are counted by what they were for and how they ended', () => {
  const metrics = new Metrics()
  const path = '/api/v1/namespaces/default/pods/x/status'
  for (const seconds of [0.001, 0.2]) {
    metrics.observeRequest(replied('GET', path, 200), parseTarget('GET', path), seconds)
  }
  const text = metrics.render()
  const labels = 'verb="GET",group="",version="v1",resource="pods",subresource="status",code="200"'
  assert.ok(text.includes(`apiserver_request_total{${labels}} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="0.005"} 1\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="0.2"} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} 2\n`))
  assert.ok(text.includes(`apiserver_request_duration_seconds_count{${labels}} 2\n`))
})

test('what clients make up becomes no label', () => {
  const metrics = new Metrics()
  for (const method of ['BREW', 'WHEN']) metrics.observeRequest(replied(method, '/x', 405), undefined, 0)
  const lines = metrics.render().split('\n')
  assert.deepEqual(
    lines.filter((line) => line.startsWith('apiserver_request_total{')),
    ['apiserver_request_total{verb="OTHER",group="",version="",resource="",subresource="",code="405"} 2'],
  )
})

test('gauges are read when somebody asks, one value or several', () => {
  const metrics = new Metrics()
  let value = 1
  metrics.addGauge({ name: 'one', help: 'One.', read: () => value })
  metrics.addGauge({ name: 'many', help: 'Many.', read: () => [['a="b"', 2] as const] })
  value = 7
  const text = metrics.render()
  assert.ok(text.includes('# HELP one One.\n# TYPE one gauge\none 7\n'))
  assert.ok(text.includes('many{a="b"} 2\n'))
})

test('what only grows is declared a counter, and only that', () => {
  const text = new Metrics().render()
  const declared = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => ({ name, type }))
  assert.ok(declared.some(({ name, type }) => name === 'process_cpu_seconds_total' && type === 'counter'))
  for (const { name, type } of declared) assert.equal(type === 'counter', name.endsWith('_total'), name)
})

test('the process tells when it started, in seconds', () => {
  const started = /^process_start_time_seconds (\S+)$/m.exec(new Metrics().render())?.[1]
  assert.ok(Math.abs(Number(started) - (Date.now() / 1000 - process.uptime())) < 5, started)
})

test('a label cannot break out of its quotes', () => {
  assert.equal(escapeLabel('a"b\\c\nd'), 'a\\"b\\\\c\\nd')
})

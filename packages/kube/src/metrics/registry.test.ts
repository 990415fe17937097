import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addProcessMetrics } from './process.js'
import { MetricRegistry } from './registry.js'
import { Counter, Gauge } from './series.js'

test('MetricRegistry: renders counters, gauges and histograms by name, in Prometheus’ text format', () => {
  const registry = new MetricRegistry()
  const seen = registry.counter({ name: 'seen_total', help: 'What was seen.', labels: ['kind', 'result'] })
  seen.with({ kind: 'Pod', result: 'ok' }).add()
  seen.with({ kind: 'Pod', result: 'ok' }).add(2)
  seen.with({ result: 'bad', kind: 'Pod' })
  registry.gauge({ name: 'depth', help: 'How deep.' }).with({}).value = 1.5
  const time = registry.histogram({ name: 'time_seconds', help: 'How long.', buckets: [1e-8, 0.5, 1], labels: ['who'] })
  for (const value of [0, 0.5, 0.7, 30]) time.with({ who: 'a' }).observe(value)
  assert.equal(
    registry.render(),
    `# HELP depth How deep.
# TYPE depth gauge
depth 1.5
# HELP seen_total What was seen.
# TYPE seen_total counter
seen_total{kind="Pod",result="ok"} 3
seen_total{kind="Pod",result="bad"} 0
# HELP time_seconds How long.
# TYPE time_seconds histogram
time_seconds_bucket{who="a",le="1e-08"} 1
time_seconds_bucket{who="a",le="0.5"} 2
time_seconds_bucket{who="a",le="1"} 3
time_seconds_bucket{who="a",le="+Inf"} 4
time_seconds_sum{who="a"} 31.2
time_seconds_count{who="a"} 4
`,
  )
})

test('MetricRegistry: escapes label values and help texts', () => {
  const registry = new MetricRegistry()
  registry.gauge({ name: 'g', help: 'a\\b\nc', labels: ['l'] }).with({ l: 'x"} 1\nevil 2 \\' }).value = 7
  assert.equal(registry.render(), '# HELP g a\\\\b\\nc\n# TYPE g gauge\ng{l="x\\"} 1\\nevil 2 \\\\"} 7\n')
})

test('MetricRegistry: writes NaN and infinities as Prometheus reads them', () => {
  const registry = new MetricRegistry()
  const gauge = registry.gauge({ name: 'g', help: 'G.', labels: ['l'] })
  gauge.with({ l: 'a' }).value = Number.POSITIVE_INFINITY
  gauge.with({ l: 'b' }).value = Number.NaN
  assert.match(registry.render(), /g\{l="a"\} \+Inf\ng\{l="b"\} NaN\n/)
})

test('MetricRegistry: returns the same metric for the same declaration, and rejects a different one', () => {
  const registry = new MetricRegistry()
  const once = registry.counter({ name: 'c', help: 'C.', labels: ['l'] })
  assert.equal(registry.counter({ name: 'c', help: 'C.', labels: ['l'] }), once)
  assert.throws(() => registry.counter({ name: 'c', help: 'C.' }), /the metric c exists already as a counter of \[l\]/)
  assert.throws(() => registry.gauge({ name: 'c', help: 'C.', labels: ['l'] }), /as a counter/)
})

test('MetricRegistry: rejects invalid names', () => {
  const registry = new MetricRegistry()
  assert.throws(() => registry.counter({ name: 'a-b', help: 'C.' }), /"a-b" is not a valid metric name/)
  assert.throws(() => registry.counter({ name: 'a', help: 'C.', labels: ['b:c'] }), /"b:c" is not a valid label name/)
})

test('MetricRegistry: refreshes gauges when rendered, and drops removed series', () => {
  const registry = new MetricRegistry()
  const gauge = registry.gauge({ name: 'g', help: 'G.' })
  let value = 1
  const stop = registry.beforeRender(() => {
    gauge.with({}).value = value
  })
  assert.match(registry.render(), /\ng 1\n/)
  value = 2
  assert.match(registry.render(), /\ng 2\n/)
  stop()
  gauge.remove({})
  assert.equal(registry.render(), '')
})

test('addProcessMetrics: adds metrics of the process', () => {
  const registry = new MetricRegistry()
  addProcessMetrics(registry)
  const text = registry.render()
  assert.match(text, /\nprocess_resident_memory_bytes [\d.]+e\+\d\d\n/)
  assert.match(text, /# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total [\d.]+\n/)
  assert.match(text, /nodejs_eventloop_time_seconds_total\{state="idle"\} /)
})

test('MetricFamily: replace shows the given series and no others', () => {
  const registry = new MetricRegistry()
  const objects = registry.gauge({ name: 'objects', help: 'Objects.', labels: ['resource'] })
  const requests = registry.counter({ name: 'requests_total', help: 'Requests.', labels: ['resource'] })
  const counts = new Map([
    ['pods', 1],
    ['nodes', 2],
  ])
  registry.beforeRender(() => {
    objects.replace(Array.from(counts, ([resource, count]) => [{ resource }, new Gauge(count)]))
    requests.replace(Array.from(counts, ([resource, count]) => [{ resource }, new Counter(count * 10)]))
  })
  assert.match(registry.render(), /objects\{resource="pods"\} 1\nobjects\{resource="nodes"\} 2\n/)
  counts.delete('nodes')
  counts.set('pods', 3)
  const samples = registry
    .render()
    .split('\n')
    .filter((line) => line.includes('{'))
  assert.deepEqual(samples, ['objects{resource="pods"} 3', 'requests_total{resource="pods"} 30'])
})

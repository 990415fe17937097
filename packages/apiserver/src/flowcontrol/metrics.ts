import { Counter, Gauge, type MetricRegistry } from '@orrery/kube/metrics'
import type { FlowControl } from './flow-control.js'
import { type SchemaCounts, WAIT_BUCKETS } from './schema-counts.js'

/** Adds the main API Priority and Fairness metrics of kube-apiserver. */
export function addFlowControlMetrics(metrics: MetricRegistry, flowControl: FlowControl): void {
  addSchemaMetrics(metrics, flowControl)
  addLevelMetrics(metrics, flowControl)
}

const SCHEMA_LABELS = ['priority_level', 'flow_schema'] as const

function addSchemaMetrics(metrics: MetricRegistry, flowControl: FlowControl): void {
  const dispatched = metrics.counter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Number of served requests.',
    labels: SCHEMA_LABELS,
  })
  const rejected = metrics.counter({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: 'Number of refused requests, by reason.',
    labels: [...SCHEMA_LABELS, 'reason'],
  })
  const waits = metrics.histogram({
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    help: 'Time that requests waited in a queue, by whether they were served.',
    labels: [...SCHEMA_LABELS, 'execute'],
    buckets: WAIT_BUCKETS,
  })
  const waiting = metrics.gauge({
    name: 'apiserver_flowcontrol_current_inqueue_requests',
    help: 'Number of waiting requests.',
    labels: SCHEMA_LABELS,
  })
  const executing = metrics.gauge({
    name: 'apiserver_flowcontrol_current_executing_requests',
    help: 'Number of requests being served.',
    labels: SCHEMA_LABELS,
  })
  metrics.beforeRender(() => {
    const all = Array.from(flowControl.counts, (counts) => ({ counts, labels: schemaLabels(counts) }))
    dispatched.replace(all.map(({ counts, labels }) => [labels, new Counter(counts.dispatched)]))
    waiting.replace(all.map(({ counts, labels }) => [labels, new Gauge(counts.waiting)]))
    executing.replace(all.map(({ counts, labels }) => [labels, new Gauge(counts.executing)]))
    rejected.replace(
      all.flatMap(({ counts, labels }) =>
        Array.from(counts.rejected, ([reason, count]) => [{ ...labels, reason }, new Counter(count)] as const),
      ),
    )
    waits.replace(
      all.flatMap(({ counts, labels }) =>
        Array.from(counts.waits, ([execute, times]) => [{ ...labels, execute: String(execute) }, times] as const),
      ),
    )
  })
}

function addLevelMetrics(metrics: MetricRegistry, flowControl: FlowControl): void {
  const executing = metrics.gauge({
    name: 'apiserver_flowcontrol_current_executing_seats',
    help: 'Number of seats in use.',
    labels: ['priority_level'],
  })
  const nominal = metrics.gauge({
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Nominal number of seats of the priority level, without borrowed ones.',
    labels: ['priority_level'],
  })
  metrics.beforeRender(() => {
    const all = Array.from(flowControl.levels, (level) => ({ level, labels: { priority_level: level.name } }))
    executing.replace(all.map(({ level, labels }) => [labels, new Gauge(level.seatsInUse)]))
    nominal.replace(all.map(({ level, labels }) => [labels, new Gauge(level.nominalSeats)]))
  })
}

function schemaLabels({ level, schema }: SchemaCounts) {
  return { priority_level: level, flow_schema: schema }
}

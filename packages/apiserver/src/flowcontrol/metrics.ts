import { escapeLabel, type Metrics } from '../metrics.js'
import type { FlowControl } from './flow-control.js'
import type { PriorityLevel } from './priority-level.js'
import type { SchemaCounts } from './schema-counts.js'

type Sample = readonly [labels: string, value: number]

/** The core of kube-apiserver's metrics of priority and fairness. */
export function addFlowControlMetrics(metrics: Metrics, flowControl: FlowControl): void {
  const bySchema = (value: (counts: SchemaCounts) => number) => () =>
    Array.from(flowControl.counts, (counts): Sample => [schemaLabels(counts), value(counts)])
  const byLevel = (value: (level: PriorityLevel) => number) => () =>
    Array.from(flowControl.levels, (level): Sample => [`priority_level="${escapeLabel(level.name)}"`, value(level)])
  metrics.addCounter({
    name: 'apiserver_flowcontrol_dispatched_requests_total',
    help: 'Requests that were served.',
    read: bySchema(({ dispatched }) => dispatched),
  })
  metrics.addCounter({
    name: 'apiserver_flowcontrol_rejected_requests_total',
    help: 'Requests that were refused, by reason.',
    *read() {
      for (const counts of flowControl.counts) {
        for (const [reason, count] of counts.rejected) yield [`${schemaLabels(counts)},reason="${reason}"`, count]
      }
    },
  })
  metrics.addHistograms({
    name: 'apiserver_flowcontrol_request_wait_duration_seconds',
    help: 'Time that requests waited in a queue, and whether they were served after it.',
    *read() {
      for (const counts of flowControl.counts) {
        for (const [execute, waits] of counts.waits) yield [`${schemaLabels(counts)},execute="${execute}"`, waits]
      }
    },
  })
  metrics.addGauge({
    name: 'apiserver_flowcontrol_current_inqueue_requests',
    help: 'Requests that wait.',
    read: bySchema(({ waiting }) => waiting),
  })
  metrics.addGauge({
    name: 'apiserver_flowcontrol_current_executing_requests',
    help: 'Requests that are being served.',
    read: bySchema(({ executing }) => executing),
  })
  metrics.addGauge({
    name: 'apiserver_flowcontrol_current_executing_seats',
    help: 'Seats that are taken.',
    read: byLevel(({ seatsInUse }) => seatsInUse),
  })
  metrics.addGauge({
    name: 'apiserver_flowcontrol_nominal_limit_seats',
    help: 'Seats of the priority level, without those it borrows.',
    read: byLevel(({ nominalSeats }) => nominalSeats),
  })
}

function schemaLabels({ level, schema }: SchemaCounts): string {
  return `priority_level="${escapeLabel(level)}",flow_schema="${escapeLabel(schema)}"`
}

import type { MetricRegistry } from '@orrery/kube/metrics'
import { parseEventType } from '../../codec/event-type.js'

/** The metrics of a bridge to an MQTT broker, with the names of Open Cluster Management's where it has one. */
export function mqttMetrics(registry: MetricRegistry) {
  const labels = ['type'] as const
  const received = registry.counter({
    name: 'cloudevents_received_total',
    help: 'Number of events that the MQTT broker delivered.',
    labels,
  })
  const sent = registry.counter({
    name: 'cloudevents_sent_total',
    help: 'Number of events that the MQTT broker has acknowledged.',
    labels,
  })
  const failed = registry.counter({
    name: 'cloudevents_unsent_total',
    help: 'Number of events that the MQTT broker has not acknowledged. Specs are published again.',
    labels,
  })
  const reconnected = registry
    .counter({
      name: 'cloudevents_client_reconnected_total',
      help: 'Number of connections to the MQTT broker after the first.',
    })
    .with({})
  const connected = registry
    .gauge({ name: 'mqtt_connected', help: '1 while there is a connection to the MQTT broker, else 0.' })
    .with({})
  let connections = 0
  return {
    received: (type: string) => received.with({ type: shortType(type) }).add(),
    sent: (type: string) => sent.with({ type: shortType(type) }).add(),
    failed: (type: string) => failed.with({ type: shortType(type) }).add(),
    connected() {
      connected.value = 1
      if (connections++ > 0) reconnected.add()
    },
    disconnected() {
      connected.value = 0
    },
  }
}

/** Agents choose the types of their events: others than the known ones are counted together. */
function shortType(text: string): string {
  const type = parseEventType(text)
  return type === undefined ? 'other' : `${type.subResource}.${type.action}`
}

import type { MetricRegistry } from '@orrery/kube/metrics'
import { GrpcCode } from './errors.js'
import { CallError, type CloudEventService, type EventStream } from './grpc/service.js'

/** Upper bounds in seconds. Calls within the first are the rule. */
const BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]
const CODE_NAMES = new Map<number, string>(
  Object.entries(GrpcCode).map(([name, code]) => [code, `${name[0]?.toUpperCase()}${name.slice(1)}`]),
)

/** `grpc_server` for the port of sources, `grpc_server_ce` for that of agents, as in Maestro. */
export type MetricPrefix = 'grpc_server' | 'grpc_server_ce'

/** Counts the calls and messages of a service. There are no labels of sources, clusters or bundles. */
export function countedService<S extends CloudEventService>(
  service: S,
  metrics: MetricRegistry,
  prefix: MetricPrefix,
): CloudEventService {
  const type = ['type'] as const
  const counter = (name: string, help: string) => metrics.counter({ name: `${prefix}_${name}`, help, labels: type })
  const called = counter('called_total', 'Number of gRPC calls.')
  const received = counter('message_received_total', 'Number of messages received by gRPC.')
  const sent = counter('message_sent_total', 'Number of messages sent by gRPC.')
  const processed = metrics.counter({
    name: `${prefix}_processed_total`,
    help: 'Number of gRPC calls that have ended, by code.',
    labels: ['type', 'code'],
  })
  const durations = metrics.histogram({
    name: `${prefix}_processed_duration_seconds`,
    help: 'Time to answer a gRPC publish, in seconds.',
    labels: type,
    buckets: BUCKETS,
  })
  const clients = metrics
    .gauge({
      name: prefix === 'grpc_server' ? 'grpc_server_registered_source_clients' : 'grpc_server_ce_registered_agents',
      help: 'Number of open subscriptions.',
    })
    .with({})
  const publish = { type: 'Publish' }
  const subscribe = { type: 'Subscribe' }

  const begin = (labels: { type: string }) => {
    called.with(labels).add()
    received.with(labels).add()
  }
  const end = (labels: { type: string }, error: unknown) => {
    const code = error === undefined ? 'OK' : codeOf(error)
    processed.with({ ...labels, code }).add()
    if (labels === publish && error === undefined) sent.with(labels).add()
  }

  return {
    async publish(message, context) {
      const started = performance.now()
      begin(publish)
      let failure: unknown
      try {
        await service.publish(message, context)
      } catch (error) {
        failure = error
        throw error
      } finally {
        end(publish, failure)
        durations.with(publish).observe((performance.now() - started) / 1000)
      }
    },
    async subscribe(message, context, stream) {
      begin(subscribe)
      const series = sent.with(subscribe)
      clients.value++
      stream.onClose(once(() => clients.value--))
      const counted: EventStream = {
        start: (metadata) => stream.start(metadata),
        write(bytes) {
          series.add()
          return stream.write(bytes)
        },
        onDrain: (resume) => stream.onDrain(resume),
        onClose: (close) => stream.onClose(close),
        end(error) {
          end(subscribe, error)
          stream.end(error)
        },
      }
      try {
        await service.subscribe(message, context, counted)
      } catch (error) {
        end(subscribe, error)
        throw error
      }
    },
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof CallError ? error.code : GrpcCode.internal
  return CODE_NAMES.get(code) ?? String(code)
}

/** A stream can report that it is closed more than once. */
function once(run: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    run()
  }
}

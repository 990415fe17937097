import type { KubeClient, Logger } from '@orrery/kube'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { Check, Listener, Route } from '@orrery/kube/serving'
import type { Command } from 'commander'
import { explainListen } from '../start-failure.js'
import { type ListenAddress, listenAddress, urlOf } from './address.js'
import { print } from './print.js'

export interface HealthOptions {
  readonly healthAddress?: ListenAddress
}

/** `--health-address`, for commands that run against an existing cluster. */
export function addHealthOption(command: Command): Command {
  return command.option(
    '--health-address <host:port>',
    'on an existing cluster: serve probes and metrics at this address over TLS (default: disabled)',
    listenAddress,
  )
}

/** The health checks and metrics of a process. */
export interface HealthChecks {
  /** Problems that prevent the process from serving. */
  readonly ready: Check
  /** All problems of the process. */
  readonly healthy: Check
  readonly metrics: MetricRegistry
  /** Further paths. Default none. */
  readonly routes?: readonly Route[]
}

/** Serves probes and metrics if `--health-address` is set. */
export async function serveHealth(
  { healthAddress }: HealthOptions,
  { ready, healthy, metrics, routes = [] }: HealthChecks,
  client: KubeClient,
  log: Logger,
): Promise<Listener | undefined> {
  if (healthAddress === undefined) return undefined
  const { startProbeServer } = await import('@orrery/kube/serving')
  const checks = { '/livez': () => [], '/readyz': ready, '/healthz': healthy }
  try {
    const server = await startProbeServer({
      ...healthAddress,
      client,
      checks,
      routes,
      metrics,
      log: log.child('health'),
    })
    print(`Probes and metrics are at ${urlOf({ host: healthAddress.host, port: server.port })}`)
    return server
  } catch (error) {
    const option = '--health-address'
    throw explainListen(error, { ...healthAddress, portOption: option, hostOption: option })
  }
}

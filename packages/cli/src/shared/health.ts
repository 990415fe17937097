import type { KubeClient, Logger, MetricRegistry } from '@orrery/kube'
import type { Check, Listener } from '@orrery/kube/serving'
import type { Command } from 'commander'
import { explainListen } from '../start-failure.js'
import { type ListenAddress, listenAddress, urlOf } from './address.js'

export interface HealthOptions {
  readonly healthAddress?: ListenAddress
}

/** `--health-address`, for commands that run on a given Kubernetes. */
export function addHealthOption(command: Command): Command {
  return command.option(
    '--health-address <host:port>',
    'on a given Kubernetes: answer probes and collectors of metrics here, over TLS (default: nowhere)',
    listenAddress,
  )
}

/** What there is to know of a process. */
export interface Vitals {
  /** What keeps it from doing its part for others, */
  readonly ready: Check
  /** and what does not go as it should. */
  readonly healthy: Check
  readonly metrics: MetricRegistry
}

/** Answers probes and collectors of metrics, where that is asked for. */
export async function serveHealth(
  { healthAddress }: HealthOptions,
  { ready, healthy, metrics }: Vitals,
  client: KubeClient,
  log: Logger,
): Promise<Listener | undefined> {
  if (healthAddress === undefined) return undefined
  const { startProbeServer } = await import('@orrery/kube/serving')
  const checks = { '/livez': () => [], '/readyz': ready, '/healthz': healthy }
  try {
    const server = await startProbeServer({ ...healthAddress, client, checks, metrics, log: log.child('health') })
    process.stdout.write(`Probes and metrics are at ${urlOf({ host: healthAddress.host, port: server.port })}\n`)
    return server
  } catch (error) {
    const option = '--health-address'
    throw explainListen(error, { ...healthAddress, portOption: option, hostOption: option })
  }
}

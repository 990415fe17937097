import { once } from 'node:events'
import { KubeClient } from '../client/client.js'
import { candidateIdentity } from '../election/candidate-identity.js'
import { LeaderElection } from '../election/election.js'
import { createLogger, type Logger } from '../log.js'
import { MetricRegistry } from '../metrics/registry.js'
import { type ClosingStep, closeAll } from '../process/closing.js'
import { startProbeServer } from '../serving/probe-server.js'
import { clientFrom } from '../transport/client-from.js'
import { ensureCrds } from '../write/ensure-crds.js'
import { type Manager, startManager } from './manager.js'
import type { CustomKind, RunControllersOptions } from './run-controllers.js'
import { signalOfProcess } from './stop-signal.js'

/** What `runControllers` does. */
export async function run(options: RunControllersOptions): Promise<void> {
  const { name, kinds = [], election, probes, onStart } = options
  const { log = createLogger(), metrics = new MetricRegistry() } = options
  const open: ClosingStep[] = []
  const signal = options.signal ?? signalOfProcess(open)
  try {
    const client = await clientOf({ ...options, log }, open)
    let manager: Manager | undefined
    let probePort: number | undefined
    if (probes !== undefined) {
      // Probes are answered while the controllers wait for CRDs and for their informers.
      const problems = () => (manager === undefined ? ['the controllers have not started'] : manager.health.problems)
      const checks = { '/livez': () => [], '/readyz': problems, '/healthz': problems }
      const server = await startProbeServer({ ...probes, client, checks, metrics, log: log.child('probes') })
      open.push(() => server.close())
      probePort = server.port
    }
    if (kinds.length > 0) await install(client, kinds, { ...options, log }, signal)
    manager = await startManager({
      client,
      eventSource: name,
      controllers: options.controllers,
      log,
      metrics,
      signal,
      ...(election !== undefined && {
        leadership: new LeaderElection({
          client,
          lease: { namespace: election.namespace, name: election.name ?? name },
          ...candidateIdentity(),
          ...(election.timing !== undefined && { timing: election.timing }),
          log: log.child('election'),
        }),
      }),
    })
    const started = manager
    open.push(() => started.close())
    log.info('controllers started', { program: name })
    onStart?.({
      get health() {
        return started.health
      },
      metrics,
      probePort,
      whenRunning: () => started.whenRunning(),
    })
    if (!signal.aborted) await once(signal, 'abort')
  } catch (error) {
    // To be stopped while starting is no failure.
    if (!signal.aborted) throw error
  } finally {
    await closeAll(open)
  }
}

async function clientOf(
  { name, cluster, log }: RunControllersOptions & { readonly log: Logger },
  open: ClosingStep[],
): Promise<KubeClient> {
  if (cluster instanceof KubeClient) return cluster
  const client = await clientFrom(cluster, { userAgent: name, log: log.child('client') })
  open.push(() => client.close())
  return client
}

function install(
  client: KubeClient,
  kinds: readonly CustomKind[],
  { name, installTimeoutMilliseconds, log }: RunControllersOptions & { readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  const crds = kinds.map((kind) => ('crd' in kind ? kind.crd : kind))
  return ensureCrds(client, crds, {
    fieldManager: name,
    log,
    signal,
    ...(installTimeoutMilliseconds !== undefined && { timeoutMilliseconds: installTimeoutMilliseconds }),
  })
}

import type { CustomResourceDefinition, Draft } from '@orrery/kinds'
import type { KubeClient } from '../client/client.js'
import type { ControllerSpec } from '../controller/types.js'
import type { ElectionTiming } from '../election/timing.js'
import type { ClientConfig } from '../kubeconfig/client-config.js'
import type { ConfigSource } from '../kubeconfig/source.js'
import type { Logger } from '../log.js'
import type { MetricRegistry } from '../metrics/registry.js'
import type { Manager, ManagerContext } from './manager.js'

/** A custom kind, such as `defineKind` of `@orrery/api` makes, or a CRD. */
export type CustomKind = { readonly crd: Draft<CustomResourceDefinition> } | Draft<CustomResourceDefinition>

/** How to run controllers. */
export interface RunControllersOptions {
  /**
   * The name of the program, such as `team-info`: its user agent, the source of its events, and the default name of its
   * Lease. The field manager of a controller is the controller's own name.
   */
  readonly name: string
  /** Creates the controllers to run. */
  readonly controllers: (context: ManagerContext) => readonly ControllerSpec[]
  /** Custom kinds to install before the controllers start. Default none. */
  readonly kinds?: readonly CustomKind[]
  /** How long the API server may take to serve them, in milliseconds. Default one minute. */
  readonly installTimeoutMilliseconds?: number
  /**
   * The API server: a client, the path of a kubeconfig, or a configuration. Default: the cluster that kubectl would use, or
   * the one the program runs in. A client that is given stays open.
   */
  readonly cluster?: KubeClient | string | ClientConfig | ConfigSource
  /** Elect a leader among replicas, by a Lease in this namespace. Default: none, for programs with one replica. */
  readonly election?: { readonly namespace: string; readonly name?: string; readonly timing?: ElectionTiming }
  /**
   * Serve `/livez`, `/readyz`, `/healthz` and `/metrics` over TLS at this port. Who reads metrics needs permission for
   * that path. Default: not served. Port 0 picks a free one.
   */
  readonly probes?: { readonly host?: string; readonly port: number }
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Default stderr, from level info. `silentLogger` writes nothing. */
  readonly log?: Logger
  /** Stops the controllers. Default: SIGINT and SIGTERM stop them; a second signal ends the process at once. */
  readonly signal?: AbortSignal
  /** Called when the controllers have started, or wait to lead. */
  readonly onStart?: (running: RunningControllers) => void
}

/** Controllers that `runControllers` has started. */
export interface RunningControllers extends Pick<Manager, 'health' | 'metrics' | 'whenRunning'> {
  /** The port of probes and metrics; undefined if they are not served. */
  readonly probePort: number | undefined
}

/**
 * Runs controllers until a signal stops them: connects, installs custom kinds and waits until they are served, starts the
 * cache and the controllers, takes part in the election, serves probes and metrics. Resolves when everything is closed.
 */
export async function runControllers(options: RunControllersOptions): Promise<void> {
  // Loaded when it is called: a program that only imports the package, such as a test, does not pay for it.
  const { run } = await import('./run.js')
  await run(options)
}

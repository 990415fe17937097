import type { KubeClient } from '@orrery/kube'
import type { Clock } from '@orrery/kube/clock'
import type { Leadership } from '@orrery/kube/controller'
import type { Logger } from '@orrery/kube/log'
import type { MetricRegistry } from '@orrery/kube/metrics'
import type { OidcOptions } from './access/oidc.js'
import type { RetentionOptions } from './operations/operation-lifetime.js'

/** How to start the OVIM hub service. */
export interface OvimHubOptions {
  /** A client of the hub's API server, which `installOvim` has prepared. */
  readonly client: KubeClient
  /** Default all addresses. */
  readonly host?: string
  /** 0 picks a free port. Default 8443. */
  readonly port?: number
  /** A directory with `tls.crt`, `tls.key` and `ca.crt`. Default: a self-signed certificate, kept in the Secret ovim-hub-serving. */
  readonly certificateDirectory?: string
  /** The host names of a self-signed certificate. Default localhost and the name of the machine. */
  readonly serverNames?: readonly [string, ...string[]]
  /** In PEM: certificates of this authority authenticate clients. Default none. */
  readonly clientAuthority?: string
  /** Issuers whose tokens users may present besides those of the API server. Default none. */
  readonly oidc?: readonly OidcOptions[]
  readonly retention?: Partial<RetentionOptions>
  /** Run controllers only while this process leads. Requests are always served. Default always. */
  readonly leadership?: Leadership
  /** Default the system's. */
  readonly clock?: Clock
  /** Default none. */
  readonly log?: Logger
  /** Default a registry of its own. */
  readonly metrics?: MetricRegistry
  /** Stops starting when aborted. */
  readonly signal?: AbortSignal
}

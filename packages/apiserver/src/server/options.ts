import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { AdmissionPlugin } from '../admission/types.js'
import type { TokenAuthenticator } from '../authn/authenticator.js'
import type { InProcessConverter } from '../crd/convert.js'
import type { EmbeddedGroup } from '../handlers/embedded-group.js'
import type { Connector } from '../handlers/subresources/connect.js'
import type { ServingLimits } from '../http/serving-limits.js'
import type { InternalClient } from '../registry/internal.js'
import type { ApiServer } from './api-server.js'

/** What an admission plugin of an embedder can work with. */
export interface PluginContext {
  readonly client: InternalClient
  readonly clock: Clock
}

export interface AuditOptions {
  /** JSON lines are appended here, and rotated by size. */
  readonly file: string
  /** A file with an audit.k8s.io/v1 Policy. Default: the metadata of every request. */
  readonly policyFile?: string
}

export interface ApiServerOptions {
  /** Where everything is kept. Default: a temporary directory, removed on close. */
  readonly dataDirectory?: string
  /** Begin with an empty store in a data directory that has lost its store. Default false: then it is not started. */
  readonly newStore?: boolean
  /** Whether the data directory is known to have had a store, should nothing in it show that any more. Default false. */
  readonly hadStore?: boolean
  /** What has to be done before `/readyz` is ok, such as writing a kubeconfig: the server serves already. Default: nothing. */
  readonly beforeReady?: (server: ApiServer) => void | Promise<void>
  /** The address to listen on, or false to serve only clients in the process. Default 127.0.0.1. */
  readonly host?: string | false
  /** 0, the default, picks a free port. */
  readonly port?: number
  /** Further host names and addresses for the serving certificate. */
  readonly hosts?: readonly string[]
  /** The network service addresses come from. Default 10.96.0.0/12. */
  readonly serviceCidr?: string
  /**
   * How long a namespace that is being deleted keeps its content, so that objects of one file can be deleted after their
   * Namespace. Default 5, as in kube-controller-manager.
   */
  readonly namespaceDeletionGraceSeconds?: number
  /** What clients may take of the process. Servers of one process share its defaults. */
  readonly limits?: ServingLimits
  readonly clock?: Clock
  readonly log?: Logger
  readonly audit?: AuditOptions
  /** Run after the built-in plugins, before webhooks. */
  readonly admission?: (context: PluginContext) => readonly AdmissionPlugin[]
  /** API groups the embedder serves itself. */
  readonly groups?: readonly EmbeddedGroup[]
  /** What reaches running workloads, by `<resource>/<subresource>`: `pods/log`, `pods/exec`, …. */
  readonly connectors?: Readonly<Record<string, Connector>>
  /** Conversions between versions of custom resources, by CRD name. */
  readonly converters?: Readonly<Record<string, InProcessConverter>>
  /** Bearer tokens of other kinds. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[]
  /** Let requests without credentials in as `system:anonymous`, who may see health and version. Default true. */
  readonly allowAnonymous?: boolean
  /** Where an admission or conversion webhook's Service is reached. Default: its ClusterIP. */
  readonly resolveService?: (
    namespace: string,
    name: string,
    port: number,
  ) => { host: string; port: number } | undefined
}

/** Options with every default filled in. */
export type ResolvedOptions = Required<Omit<ApiServerOptions, 'dataDirectory' | 'audit' | 'resolveService'>> &
  Pick<ApiServerOptions, 'dataDirectory' | 'audit' | 'resolveService'>

export function resolveOptions(options: ApiServerOptions): ResolvedOptions {
  return {
    newStore: false,
    hadStore: false,
    beforeReady: () => undefined,
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    serviceCidr: '10.96.0.0/12',
    namespaceDeletionGraceSeconds: 5,
    limits: {},
    clock: systemClock,
    log: silentLogger,
    admission: () => [],
    groups: [],
    connectors: {},
    converters: {},
    tokenAuthenticators: [],
    allowAnonymous: true,
    ...options,
  }
}

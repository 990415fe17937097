import type { Logger } from '@orrery/kube'
import { type Clock, systemClock } from '@orrery/kube/clock'
import { silentLogger } from '@orrery/kube/log'
import type { AdmissionPlugin } from '../admission/types.js'
import type { TokenAuthenticator } from '../authn/authenticator.js'
import type { InProcessConverter } from '../crd/convert.js'
import type { EmbeddedGroup } from '../handlers/embedded-group.js'
import type { EmbeddedPaths } from '../handlers/embedded-paths.js'
import type { Connector } from '../handlers/subresources/connect.js'
import type { ServingLimits } from '../http/serving-limits.js'
import type { InternalClient } from '../registry/internal.js'
import type { ApiServer } from './api-server.js'

/** What an admission plugin of the embedding program can use. */
export interface PluginContext {
  readonly client: InternalClient
  readonly clock: Clock
}

export interface AuditOptions {
  /** The file for JSON lines, rotated by size. */
  readonly file: string
  /** A file with an audit.k8s.io/v1 Policy. Defaults to the metadata of every request. */
  readonly policyFile?: string
}

export interface ApiServerOptions {
  /** The data directory. Defaults to a temporary directory that is removed on close. */
  readonly dataDirectory?: string
  /**
   * Whether to create an empty store in a data directory that has lost its store. Defaults to false: the start fails.
   */
  readonly newStore?: boolean
  /** Whether the data directory is known to have had a store, even if nothing in it shows that. Defaults to false. */
  readonly hadStore?: boolean
  /**
   * Called before `/readyz` is ok, for example to write a kubeconfig: the server already serves requests. Defaults to
   * none.
   */
  readonly beforeReady?: (server: ApiServer) => void | Promise<void>
  /** The address to listen on, or false to serve only clients within the process. Defaults to 127.0.0.1. */
  readonly host?: string | false
  /** 0, the default, selects a free port. */
  readonly port?: number
  /** Additional host names and addresses of the serving certificate. */
  readonly hosts?: readonly string[]
  /** The network of service addresses. Defaults to 10.96.0.0/12. */
  readonly serviceCidr?: string
  /**
   * How long a namespace that is being deleted keeps its content, so that objects of one file can be deleted after
   * their Namespace. Defaults to 5, as in kube-controller-manager.
   */
  readonly namespaceDeletionGraceSeconds?: number
  /** Resource limits for clients. Servers of one process share the defaults. */
  readonly limits?: ServingLimits
  readonly clock?: Clock
  readonly log?: Logger
  readonly audit?: AuditOptions
  /** Admission plugins that run after the built-in ones, before webhooks. */
  readonly admission?: (context: PluginContext) => readonly AdmissionPlugin[]
  /** API groups that the embedding program serves. */
  readonly groups?: readonly EmbeddedGroup[]
  /** Paths outside the API groups that the embedding program serves. */
  readonly paths?: readonly EmbeddedPaths[]
  /** Connectors to running workloads, by `<resource>/<subresource>`: `pods/log`, `pods/exec`, …. */
  readonly connectors?: Readonly<Record<string, Connector>>
  /** Conversions between versions of custom resources, by CRD name. */
  readonly converters?: Readonly<Record<string, InProcessConverter>>
  /** Authenticators of further bearer tokens. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[]
  /** Whether requests without credentials are `system:anonymous`, who may read health and version. Defaults to true. */
  readonly allowAnonymous?: boolean
  /** Returns the address of the Service of an admission or conversion webhook. Defaults to its ClusterIP. */
  readonly resolveService?: (
    namespace: string,
    name: string,
    port: number,
  ) => { host: string; port: number } | undefined
}

/** The options with all defaults. */
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
    paths: [],
    connectors: {},
    converters: {},
    tokenAuthenticators: [],
    allowAnonymous: true,
    ...options,
  }
}

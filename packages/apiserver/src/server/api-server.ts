import type { ClientOptions, KubeClient } from '@orrery/kube/client'
import type { Identity } from '../identity/identity.js'

export interface InProcessClientOptions extends ClientOptions {
  /** The user of the requests. Defaults to the administrator, who has all permissions. */
  readonly identity?: Identity
}

/** A running API server. */
export interface ApiServer {
  /** `https://host:port`; empty if it does not listen. */
  readonly url: string
  readonly port: number
  readonly dataDirectory: string
  /** The CA certificate of the cluster, as PEM. */
  readonly certificateAuthority: string
  /** A client in the process, without network and TLS. */
  client(options?: InProcessClientOptions): KubeClient
  /** Returns a kubeconfig for the administrator, as YAML. The name of its context defaults to `orrery`. */
  kubeconfig(name?: string): Promise<string>
  /** Writes a consistent copy of the state while serving. */
  backup(file: string): Promise<void>
  /** Compacts history up to now. */
  compact(): Promise<void>
  close(): Promise<void>
}

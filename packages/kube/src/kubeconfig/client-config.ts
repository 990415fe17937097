import type { ExecConfig } from './types.js'

/** PEM that is known, or the file it is in: files are read again when they change. */
export type Pem = { readonly text: string } | { readonly file: string }

/** Whom to act as, instead of oneself. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** Where an API server is, and as whom to talk to it. */
export interface ClientConfig {
  /** `https://host:port`, with a path in front of the API's own if there is one. */
  readonly server: string
  /** Default: the authorities of the system. */
  readonly certificateAuthority?: Pem
  /** The name the server's certificate must be for. Default: the host of `server`. */
  readonly tlsServerName?: string
  /** Talks to whoever answers. Default false. */
  readonly insecureSkipTlsVerify?: boolean
  /** `http`, `https` or `socks5`. Default: what the environment says. */
  readonly proxyUrl?: string
  /** Default false: long answers from other machines come compressed. */
  readonly disableCompression?: boolean
  readonly clientCertificate?: Pem
  readonly clientKey?: Pem
  readonly token?: string
  /** Comes before `token` whenever it can be read. */
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  /** Asked for credentials when there are no others. */
  readonly exec?: ExecConfig
  /** What the cluster has for `exec`, passed on as it is. */
  readonly execClusterConfig?: unknown
  readonly impersonate?: Impersonation
  /** What is meant when no namespace is named. Default `default`. */
  readonly namespace?: string
  /** Where all this comes from, for errors: `/home/me/.kube/config: user "me"`. */
  readonly origin?: string
}

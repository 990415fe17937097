import type { ExecConfig } from './types.js'

/** PEM as text, or a file with it: files are read again when they change. */
export type Pem = { readonly text: string } | { readonly file: string }

/** The user to impersonate. */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups?: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** The address of an API server, and the credentials for it. */
export interface ClientConfig {
  /** `https://host:port`, with a path prefix if there is one. */
  readonly server: string
  /** Default: the authorities of the system. */
  readonly certificateAuthority?: Pem
  /** The name that the server's certificate must be for. Default: the host of `server`. */
  readonly tlsServerName?: string
  /** Do not verify the server's certificate. Default false. */
  readonly insecureSkipTlsVerify?: boolean
  /** `http`, `https` or `socks5`. Default: from the environment. */
  readonly proxyUrl?: string
  /** Default false: long responses from other machines are compressed. */
  readonly disableCompression?: boolean
  readonly clientCertificate?: Pem
  readonly clientKey?: Pem
  readonly token?: string
  /** Takes precedence over `token` if it can be read. */
  readonly tokenFile?: string
  readonly username?: string
  readonly password?: string
  /** The plugin to run if there are no other credentials. */
  readonly exec?: ExecConfig
  /** The cluster's configuration for `exec`, passed on unchanged. */
  readonly execClusterConfig?: unknown
  readonly impersonate?: Impersonation
  /** The namespace if none is named. Default `default`. */
  readonly namespace?: string
  /** The origin, for errors: `/home/me/.kube/config: user "me"`. */
  readonly origin?: string
}

/** The entry of a cluster. */
export interface Cluster {
  server?: string
  'tls-server-name'?: string
  'insecure-skip-tls-verify'?: boolean
  'certificate-authority'?: string
  'certificate-authority-data'?: string
  'proxy-url'?: string
  'disable-compression'?: boolean
  /** Items may be empty. */
  extensions?: readonly (NamedExtension | null)[]
}

/** The entry of a user. */
export interface User {
  'client-certificate'?: string
  'client-certificate-data'?: string
  'client-key'?: string
  'client-key-data'?: string
  token?: string
  tokenFile?: string
  username?: string
  password?: string
  as?: string
  'as-uid'?: string
  'as-groups'?: readonly string[]
  'as-user-extra'?: Readonly<Record<string, readonly string[]>>
  'auth-provider'?: object
  exec?: ExecConfig
}

/** A credential plugin (KEP-541). */
export interface ExecConfig {
  readonly apiVersion?: string
  readonly command?: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value?: string | null }[] | null
  /** The message if the command does not exist. */
  readonly installHint?: string
  /** Whether the command gets the cluster in `KUBERNETES_EXEC_INFO`. */
  readonly provideClusterInfo?: boolean
  /** Whether the command may use the terminal. */
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always'
}

/** The entry of a context: a cluster with a user. */
export interface Context {
  cluster?: string
  user?: string
  namespace?: string
}

export interface NamedExtension {
  readonly name: string
  readonly extension?: unknown
}

/** An entry and its file, which relative paths in it are resolved from. */
export interface Entry<T> {
  readonly name: string
  readonly value: T
  readonly file: string | undefined
}

/** One kubeconfig, or several merged. Unknown fields are kept. */
export interface Kubeconfig {
  /** The files it was read from. */
  readonly files: readonly string[]
  readonly currentContext: string | undefined
  readonly clusters: ReadonlyMap<string, Entry<Cluster>>
  readonly users: ReadonlyMap<string, Entry<User>>
  readonly contexts: ReadonlyMap<string, Entry<Context>>
}

/** A kubeconfig that cannot be used. The message names the file, the entry and the fix, and never a secret. */
export class KubeconfigError extends Error {
  constructor(file: string | undefined, problem: string, options?: ErrorOptions) {
    super(file === undefined ? problem : `${file}: ${problem}`, options)
    this.name = 'KubeconfigError'
  }
}
